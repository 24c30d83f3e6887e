// SPDX-License-Identifier: MIT
// Part of kernels.h.

CAC_INLINE const float *row_from(float *const *rows, uint32_t channel, uint32_t frame) {
    return rows[channel] == 0 ? 0 : rows[channel] + frame;
}

// The words of two channels in turn.
CAC_INLINE void interleave_two(void *both, const words *left, const words *right) {
    // Loaded once: for all that the compiler knows, what is stored may be a part of them.
    const words a = *left, b = *right;
    CAC_WORDS(both) = __builtin_shufflevector(a, b, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47);
    CAC_WORDS((int32_t *)both + 32) = __builtin_shufflevector(a, b, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55, 24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63);
}

// Whole blocks of interleaved stereo floats, which is what most apps want: a loop with nothing else in it.
// Returns the number of frames.
CAC_INLINE uint32_t store_float_pairs(float *both, const float *left, const float *right, uint32_t frames) {
    uint32_t done = 0;
    for (; frames - done >= block_frames; done += block_frames) {
        interleave_two(both + 2 * (size_t)done, (const words *)(left + done), (const words *)(right + done));
    }
    return done;
}

// The format is a constant in each of its callers.
CAC_INLINE void store_as(
    enum cac_format format, const struct cac_samples *to, float *const *rows, uint32_t first, uint32_t frames,
    struct cac_dither *dither) {
    const size_t size = bytes_of(format), channels = to->channel_count;
    const size_t frame_size = to->is_interleaved ? channels * size : size;
    words block;
    uint32_t begun = 0;
    if (format == cac_float32 && to->is_interleaved && channels == 2 && rows[0] != 0 && rows[1] != 0) {
        float *both = (float *)to->planes[0] + 2 * (size_t)to->first;
        begun = store_float_pairs(both, rows[0] + first, rows[1] + first, frames);
    }
    for (uint32_t done = begun; done < frames; done += block_frames) {
        const uint32_t now = frames - done < block_frames ? frames - done : block_frames, from = first + done;
        const size_t offset = ((size_t)to->first + done) * frame_size;
        if (to->is_interleaved && channels == 2) {
            words right;
            int32_t both[2 * block_frames];
            words_of_row(&block, row_from(rows, 0, from), now, format, dither);
            words_of_row(&right, row_from(rows, 1, from), now, format, dither);
            if (format == cac_int16 && now == block_frames) {
                *(unsigned_words *)((uint8_t *)to->planes[0] + offset) =
                    ((unsigned_words)block & 0xffff) | (unsigned_words)right << 16;
                continue;
            }
            interleave_two(both, &block, &right);
            pack((uint8_t *)to->planes[0] + offset, both, 2 * now, format);
            continue;
        }
        for (uint32_t channel = 0; channel < channels; channel++) {
            words_of_row(&block, row_from(rows, channel, from), now, format, dither);
            if (!to->is_interleaved || channels == 1) {
                pack((uint8_t *)to->planes[channel] + offset, (const int32_t *)&block, now, format);
            } else {
                uint8_t *bytes = (uint8_t *)to->planes[0] + offset + channel * size;
                scatter(bytes, frame_size, (const int32_t *)&block, now, format);
            }
        }
    }
}

void CAC_NAME(store)(
    const struct cac_samples *to, float *const *rows, uint32_t first, uint32_t frames,
    struct cac_dither *dither) CRT_NONBLOCKING {
    switch (to->format) {
    case cac_float32:
        store_as(cac_float32, to, rows, first, frames, 0);
        break;
    case cac_int16:
        store_as(cac_int16, to, rows, first, frames, dither);
        break;
    case cac_int24:
        store_as(cac_int24, to, rows, first, frames, dither);
        break;
    case cac_int32:
        store_as(cac_int32, to, rows, first, frames, 0);
        break;
    }
}
