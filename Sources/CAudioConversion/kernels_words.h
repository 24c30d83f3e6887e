// SPDX-License-Identifier: MIT
// Part of kernels.h.

// A float times this is an integer of the format.
CAC_INLINE float scale_of(enum cac_format format) {
    return format == cac_int16 ? 0x1p15f : format == cac_int24 ? 0x1p23f : 0x1p31f;
}

CAC_INLINE void next_dither(floats *noise, struct cac_dither *dither) {
    unsigned_words state = *(unsigned_words *)dither->state;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    *(unsigned_words *)dither->state = state;
    // The difference of two numbers of 16 bits is as good as their sum.
    words difference = (words)(state >> 16) - (words)(state & 0xffff);
    *noise = __builtin_convertvector(difference, floats) * 0x1p-16f;
}

// The integers of a block of floats, clamped.
CAC_INLINE void round_block(words *result, const float *samples, enum cac_format format, struct cac_dither *dither) {
    const float scale = scale_of(format);
    floats value = CAC_CONST_FLOATS(samples);
    // The dither reaches 1 beyond the ends. No conversion of a number that has no integer: that would be undefined.
    const float top = format == cac_int32 ? 0x1.fffffep30f : scale + 2, bottom = format == cac_int32 ? -scale : -scale - 2;
    value = value == value ? value : 0;
    value *= scale;
    words is_over = value >= 0x1p31f;
    value = value > top ? top : value;
    value = value < bottom ? bottom : value;

    // Whole steps, towards zero, and what is left: both are exact, whatever the size of the number.
    words whole = __builtin_convertvector(value, words);
    floats part = value - __builtin_convertvector(whole, floats);
    if (dither != 0) {
        floats noise;
        next_dither(&noise, dither);
        part += noise;
        words more = __builtin_convertvector(part, words);
        part -= __builtin_convertvector(more, floats);
        whole += more;
    }
    // A comparison gives -1 where it holds.
    words is_odd = -(whole & 1);
    words up = (part > 0.5f) | ((part == 0.5f) & is_odd);
    words down = (part < -0.5f) | ((part == -0.5f) & is_odd);
    whole = whole - up + down;

    if (format == cac_int32) {
        whole = is_over ? INT32_MAX : whole;
    } else {
        const int32_t highest = format == cac_int16 ? INT16_MAX : 0x7fffff, lowest = -highest - 1;
        whole = whole > highest ? highest : whole;
        whole = whole < lowest ? lowest : whole;
    }
    *result = whole;
}

// A block of words from up to a block of a row's floats. The words behind them mean nothing.
CAC_INLINE void words_of_row(
    words *result, const float *row, uint32_t frames, enum cac_format format, struct cac_dither *dither) {
    if (row == 0) {
        *result = 0;
        return;
    }
    float few[block_frames];
    if (frames < block_frames) {
        CAC_FLOATS(few) = 0;
        move_few(few, row, frames);
        row = few;
    }
    if (format == cac_float32) {
        *result = CAC_CONST_WORDS(row);
    } else {
        round_block(result, row, format, dither);
    }
}

// A row's floats from up to a block of words.
CAC_INLINE void row_of_words(float *row, const words *source, uint32_t frames, enum cac_format format) {
    floats values;
    if (format == cac_float32) {
        values = (floats)*source;
    } else {
        values = __builtin_convertvector(*source, floats) * (1 / scale_of(format));
    }
    if (frames < block_frames) {
        move_few(row, &values, frames);
    } else {
        CAC_FLOATS(row) = values;
    }
}
