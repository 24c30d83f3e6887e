// SPDX-License-Identifier: MIT
// ThreadSanitizer sees no access of more than 16 bytes, so none of wide vectors. A function that works with these shows it
// what it reads and writes. In other builds nothing comes of it.
#pragma once
#include <stddef.h>
#include "crt_attributes.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CRT_HAS_THREAD_SANITIZER 1
#endif
#endif

#if defined(CRT_HAS_THREAD_SANITIZER)
// Of its runtime.
void __tsan_read_range(void *_Nonnull address, unsigned long size) CRT_REALTIME;
void __tsan_write_range(void *_Nonnull address, unsigned long size) CRT_REALTIME;
#endif

static inline void crt_show_read(const float *_Nonnull samples, size_t count) CRT_REALTIME {
#if defined(CRT_HAS_THREAD_SANITIZER)
    __tsan_read_range((void *)samples, count * sizeof(float));
#else
    (void)samples, (void)count;
#endif
}

static inline void crt_show_write(float *_Nonnull samples, size_t count) CRT_REALTIME {
#if defined(CRT_HAS_THREAD_SANITIZER)
    __tsan_write_range(samples, count * sizeof(float));
#else
    (void)samples, (void)count;
#endif
}
