// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include <string.h>
#include "crt_attributes.h"

// Denormal numbers make a decaying echo cost a hundred times more than a loud one. The audio thread flushes them to
// zero while a process block runs and puts the mode back, since the thread belongs to PipeWire.
static inline uint32_t crt_flush_denormals(void) CRT_REALTIME {
#if defined(__x86_64__)
    uint32_t mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(mode | 0x8040u);
    return mode;
#elif defined(__aarch64__)
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    __asm__ volatile("msr fpcr, %0" : : "r"(mode | (1ull << 24)));
    return (uint32_t)mode;
#else
    return 0;
#endif
}

static inline void crt_restore_denormals(uint32_t mode) CRT_REALTIME {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(mode);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)mode));
#endif
}

// Silence. Not memset for the few samples that a cycle usually has: its code is in another library, on a page that is
// cold by the time of the next cycle. The empty statements keep the compiler from making a memset of the loops.
static inline void crt_clear(float *samples, uint64_t count) CRT_REALTIME {
    enum { block = 64 };
    if (count > 2048) {
        memset(samples, 0, count * sizeof(float));
        return;
    }
    float *end = samples + count;
    while (end - samples >= block) {
        for (int i = 0; i < block; i++) {
            samples[i] = 0;
        }
        samples += block;
        __asm__ volatile("" : : : "memory");
    }
    while (samples != end) {
        *samples++ = 0;
        __asm__ volatile("" : : : "memory");
    }
}

// The audio thread's checker does not know Swift's own. One instruction on every processor.
static inline float crt_square_root(float value) CRT_REALTIME {
    return __builtin_sqrtf(value);
}
