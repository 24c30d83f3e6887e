// SPDX-License-Identifier: MIT
// Part of kernels.h.

CAC_INLINE void separate_two(words *left, words *right, const void *both) {
    const words a = CAC_CONST_WORDS(both), b = CAC_CONST_WORDS((const int32_t *)both + 32);
    *left = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62);
    *right = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63);
}

// Whole blocks of interleaved stereo floats, which is what most apps have: a loop with nothing else in it.
// Returns the number of frames.
CAC_INLINE uint32_t load_float_pairs(float *left, float *right, const float *both, uint32_t frames) {
    uint32_t done = 0;
    for (; frames - done >= block_frames; done += block_frames) {
        words a, b;
        separate_two(&a, &b, both + 2 * (size_t)done);
        CAC_WORDS(left + done) = a;
        CAC_WORDS(right + done) = b;
    }
    return done;
}

// The same of 16-bit integers.
CAC_INLINE uint32_t load_short_pairs(float *left, float *right, const int16_t *both, uint32_t frames) {
    uint32_t done = 0;
    for (; frames - done >= block_frames; done += block_frames) {
        // A word has both channels.
        const unsigned_words pairs = *(const unsigned_words *)(both + 2 * (size_t)done);
        const words a = (words)(pairs << 16) >> 16, b = (words)pairs >> 16;
        row_of_words(left + done, &a, block_frames, cac_int16);
        row_of_words(right + done, &b, block_frames, cac_int16);
    }
    return done;
}

// The format is a constant in each of its callers.
CAC_INLINE void load_as(
    enum cac_format format, float *const *rows, uint32_t first, const struct cac_samples *from, uint32_t frames) {
    const size_t size = bytes_of(format), channels = from->channel_count;
    const size_t frame_size = from->is_interleaved ? channels * size : size;
    words block = 0;
    uint32_t begun = 0;
    if (from->is_interleaved && channels == 2 && rows[0] != 0 && rows[1] != 0) {
        const size_t start = 2 * (size_t)from->first;
        float *left = rows[0] + first, *right = rows[1] + first;
        if (format == cac_float32) {
            begun = load_float_pairs(left, right, (const float *)from->planes[0] + start, frames);
        } else if (format == cac_int16) {
            begun = load_short_pairs(left, right, (const int16_t *)from->planes[0] + start, frames);
        }
    }
    for (uint32_t done = begun; done < frames; done += block_frames) {
        const uint32_t now = frames - done < block_frames ? frames - done : block_frames, to = first + done;
        const size_t offset = ((size_t)from->first + done) * frame_size;
        if (from->is_interleaved && channels == 2 && rows[0] != 0 && rows[1] != 0) {
            words right;
            const uint8_t *bytes = (const uint8_t *)from->planes[0] + offset;
            if (format == cac_int32 && now == block_frames) {
                separate_two(&block, &right, bytes);
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
