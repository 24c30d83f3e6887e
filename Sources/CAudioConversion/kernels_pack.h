// SPDX-License-Identifier: MIT
// Part of kernels.h: words to and from the bytes of a format, without a gap or every so many bytes.

CAC_INLINE void put_24(uint8_t *bytes, int32_t word) {
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
    bytes[2] = (uint8_t)(word >> 16);
}

CAC_INLINE int32_t get_24(const uint8_t *bytes) {
    return (int32_t)((uint32_t)bytes[0] << 8 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 24) >> 8;
}

CAC_INLINE void pack(uint8_t *bytes, const int32_t *source, uint32_t count, enum cac_format format) {
    switch (format) {
    case cac_int16:
        for (; count >= block_frames; count -= block_frames, source += block_frames, bytes += 2 * block_frames) {
            *(short_words *)bytes = __builtin_convertvector(CAC_CONST_WORDS(source), short_words);
        }
        for (uint32_t i = 0; i < count; i++) {
            ((loose_short *)bytes)[i] = (int16_t)source[i];
        }
        break;
    case cac_int24:
        // Four make three words.
        for (; count >= 4; count -= 4, source += 4, bytes += 12) {
            const uint32_t a = (uint32_t)source[0] & 0xffffff, b = (uint32_t)source[1] & 0xffffff;
            const uint32_t c = (uint32_t)source[2] & 0xffffff, d = (uint32_t)source[3];
            ((loose_word *)bytes)[0] = (int32_t)(a | b << 24);
            ((loose_word *)bytes)[1] = (int32_t)(b >> 8 | c << 16);
            ((loose_word *)bytes)[2] = (int32_t)(c >> 16 | d << 8);
        }
        for (uint32_t i = 0; i < count; i++) {
            put_24(bytes + 3 * (size_t)i, source[i]);
        }
        break;
    case cac_float32:
    case cac_int32:
        for (; count >= block_frames; count -= block_frames, source += block_frames, bytes += 4 * block_frames) {
            CAC_WORDS(bytes) = CAC_CONST_WORDS(source);
        }
        move_few(bytes, source, count);
        break;
    }
}

CAC_INLINE void unpack(int32_t *destination, const uint8_t *bytes, uint32_t count, enum cac_format format) {
    switch (format) {
    case cac_int16:
        for (; count >= block_frames; count -= block_frames, destination += block_frames, bytes += 2 * block_frames) {
            CAC_WORDS(destination) = __builtin_convertvector(*(const short_words *)bytes, words);
        }
        for (uint32_t i = 0; i < count; i++) {
            destination[i] = ((const loose_short *)bytes)[i];
        }
        break;
    case cac_int24:
        for (; count >= 4; count -= 4, destination += 4, bytes += 12) {
            const uint32_t a = (uint32_t)((const loose_word *)bytes)[0], b = (uint32_t)((const loose_word *)bytes)[1];
            const uint32_t c = (uint32_t)((const loose_word *)bytes)[2];
            destination[0] = (int32_t)(a << 8) >> 8;
            destination[1] = (int32_t)((a >> 16 & 0xff00) | b << 16) >> 8;
            destination[2] = (int32_t)((b >> 8 & 0xffff00) | c << 24) >> 8;
            destination[3] = (int32_t)c >> 8;
        }
        for (uint32_t i = 0; i < count; i++) {
            destination[i] = get_24(bytes + 3 * (size_t)i);
        }
        break;
    case cac_float32:
    case cac_int32:
        for (; count >= block_frames; count -= block_frames, destination += block_frames, bytes += 4 * block_frames) {
            CAC_WORDS(destination) = CAC_CONST_WORDS(bytes);
        }
        move_few(destination, bytes, count);
        break;
    }
}

// One sample every `stride` bytes.
CAC_INLINE void scatter(
    uint8_t *bytes, size_t stride, const int32_t *source, uint32_t count, enum cac_format format) {
    switch (format) {
    case cac_int16:
        for (uint32_t i = 0; i < count; i++, bytes += stride) {
            *(loose_short *)bytes = (int16_t)source[i];
        }
        break;
    case cac_int24:
        for (uint32_t i = 0; i < count; i++, bytes += stride) {
            put_24(bytes, source[i]);
        }
        break;
    case cac_float32:
    case cac_int32:
        for (uint32_t i = 0; i < count; i++, bytes += stride) {
            *(loose_word *)bytes = source[i];
        }
        break;
    }
}

CAC_INLINE void gather(
    int32_t *destination, const uint8_t *bytes, size_t stride, uint32_t count, enum cac_format format) {
    switch (format) {
    case cac_int16:
        for (uint32_t i = 0; i < count; i++, bytes += stride) {
            destination[i] = *(const loose_short *)bytes;
        }
        break;
    case cac_int24:
        for (uint32_t i = 0; i < count; i++, bytes += stride) {
            destination[i] = get_24(bytes);
        }
        break;
    case cac_float32:
    case cac_int32:
        for (uint32_t i = 0; i < count; i++, bytes += stride) {
            destination[i] = *(const loose_word *)bytes;
        }
        break;
    }
}
