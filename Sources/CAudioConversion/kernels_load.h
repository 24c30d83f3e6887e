// SPDX-License-Identifier: MIT
// Part of kernels.h.

CAC_INLINE void separate_two(words *left, words *right, const void *both) {
    const words a = CAC_CONST_WORDS(both), b = CAC_CONST_WORDS((const int32_t *)both + 32);
    *left = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62);
    *right = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63);
}

// The format is a constant in each of its callers.
CAC_INLINE void load_as(
    enum cac_format format, float *const *rows, uint32_t first, const struct cac_samples *from, uint32_t frames) {
    const size_t size = bytes_of(format), channels = from->channel_count;
    const size_t frame_size = from->is_interleaved ? channels * size : size;
    words block = 0;
    for (uint32_t done = 0; done < frames; done += block_frames) {
        const uint32_t now = frames - done < block_frames ? frames - done : block_frames, to = first + done;
        const size_t offset = ((size_t)from->first + done) * frame_size;
        if (from->is_interleaved && channels == 2 && rows[0] != 0 && rows[1] != 0) {
            words right;
            const uint8_t *bytes = (const uint8_t *)from->planes[0] + offset;
            if ((format == cac_float32 || format == cac_int32) && now == block_frames) {
                separate_two(&block, &right, bytes);
            } else if (format == cac_int16 && now == block_frames) {
                // A word has both channels.
                const unsigned_words pairs = *(const unsigned_words *)bytes;
                block = (words)(pairs << 16) >> 16;
                right = (words)pairs >> 16;
            } else {
                int32_t both[2 * block_frames];
                if (now < block_frames) {
                    CAC_WORDS(both) = 0;
                    CAC_WORDS(both + block_frames) = 0;
                }
                unpack(both, bytes, 2 * now, format);
                separate_two(&block, &right, both);
            }
            row_of_words(rows[0] + to, &block, now, format);
            row_of_words(rows[1] + to, &right, now, format);
            continue;
        }
        for (uint32_t channel = 0; channel < channels; channel++) {
            if (rows[channel] == 0) {
                continue;
            }
            if (!from->is_interleaved || channels == 1) {
                unpack((int32_t *)&block, (const uint8_t *)from->planes[channel] + offset, now, format);
            } else {
                const uint8_t *bytes = (const uint8_t *)from->planes[0] + offset + channel * size;
                gather((int32_t *)&block, bytes, frame_size, now, format);
            }
            row_of_words(rows[channel] + to, &block, now, format);
        }
    }
}

void CAC_NAME(load)(
    float *const *rows, uint32_t first, const struct cac_samples *from, uint32_t frames) CRT_NONBLOCKING {
    switch (from->format) {
    case cac_float32:
        load_as(cac_float32, rows, first, from, frames);
        break;
    case cac_int16:
        load_as(cac_int16, rows, first, from, frames);
        break;
    case cac_int24:
        load_as(cac_int24, rows, first, from, frames);
        break;
    case cac_int32:
        load_as(cac_int32, rows, first, from, frames);
        break;
    }
}
