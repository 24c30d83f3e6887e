// SPDX-License-Identifier: MIT
// Part of kernels.h.

void CAC_NAME(mean)(
    float *destination, float *const *rows, uint32_t count, uint32_t first, uint32_t frames) CRT_NONBLOCKING {
    const float share = 1 / (float)count;
    floats sum;
    for (uint32_t done = 0; done < frames; done += block_frames) {
        uint32_t now = frames - done;
        if (now >= block_frames) {
            sum = CAC_CONST_FLOATS(rows[0] + first + done);
            for (uint32_t i = 1; i < count; i++) {
                sum += CAC_CONST_FLOATS(rows[i] + first + done);
            }
            CAC_FLOATS(destination + done) = count == 1 ? sum : sum * share;
            continue;
        }
        for (uint32_t frame = first + done; frame < first + frames; frame++) {
            float few = rows[0][frame];
            for (uint32_t i = 1; i < count; i++) {
                few += rows[i][frame];
            }
            destination[frame - first] = count == 1 ? few : few * share;
            __asm__ volatile("" : : : "memory");
        }
    }
}
