// SPDX-License-Identifier: MIT
// Part of kernels.h.

// Half a block at a time, since there are two results to keep in registers.
enum {
    measure_width = CAK_BLOCK / 2,
    // Number of halves that are added up in single precision before the sum goes on in double. With the sum over the
    // vector lanes that is few enough for an error of a millionth.
    measure_run = 12,
};

typedef CAK_VECTOR_TYPE(CAK_BLOCK / 2) measured;
typedef CAK_INTEGER_TYPE(CAK_BLOCK / 2) measured_bits;
typedef CAK_VECTOR_TYPE(8) eight;
typedef float __attribute__((ext_vector_type(4))) four;
typedef double __attribute__((ext_vector_type(4))) four_doubles;

CAK_INLINE void measure_some(const float *samples, measured *peaks, measured *squares) {
    measured values = *(const measured *)samples;
    // NaN goes into the squares, and stays there.
    *squares += values * values;
    measured magnitudes = (measured)((measured_bits)values & 0x7fffffff);
    // Nothing is less than NaN, so it is no peak.
    *peaks = magnitudes > *peaks ? magnitudes : *peaks;
}

// In halves, which is a few operations one after the other instead of as many as there are vector lanes. These are
// lost.
CAK_INLINE float largest(float *values) {
    for (int half = measure_width / 2; half >= 8; half /= 2) {
        for (int i = 0; i < half; i += 8) {
            eight *lower = (eight *)(values + i), *upper = (eight *)(values + half + i);
            *lower = *lower > *upper ? *lower : *upper;
        }
    }
    four lower = ((eight *)values)->lo, upper = ((eight *)values)->hi;
    lower = lower > upper ? lower : upper;
    float even = lower[0] > lower[2] ? lower[0] : lower[2], odd = lower[1] > lower[3] ? lower[1] : lower[3];
    return even > odd ? even : odd;
}

CAK_INLINE double sum(float *values) {
    for (int half = measure_width / 2; half >= 8; half /= 2) {
        for (int i = 0; i < half; i += 8) {
            *(eight *)(values + i) += *(eight *)(values + half + i);
        }
    }
    four_doubles sums = __builtin_convertvector(((eight *)values)->lo, four_doubles);
    sums += __builtin_convertvector(((eight *)values)->hi, four_doubles);
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

void CAK_NAME(measure)(
    float *const *channels, uint32_t channel_count, uint32_t frames, float *peak, double *energy) CRT_NONBLOCKING {
    measured peaks = 0;
    measured squares = 0;
    double found = 0;
    int run = 0;
    for (uint32_t channel = 0; channel < channel_count; channel++) {
        const float *samples = channels[channel];
        uint32_t left = frames;
        while (left > 0) {
            if (run++ == measure_run) {
                found += sum((float *)&squares);
                squares = 0;
                run = 1;
            }
            if (left < measure_width) {
                float few[measure_width] = {0};
                copy_few(few, samples, left);
                measure_some(few, &peaks, &squares);
                break;
            }
            measure_some(samples, &peaks, &squares);
            samples += measure_width;
            left -= measure_width;
        }
    }
    found += sum((float *)&squares);
    float highest = largest((float *)&peaks);
    // Not the opposite comparison: a peak that is NaN would stay.
    if (!(*peak >= highest)) {
        *peak = highest;
    }
    *energy += found;
}
