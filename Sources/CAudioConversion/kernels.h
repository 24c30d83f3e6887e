// SPDX-License-Identifier: MIT
// The kernels' bodies, compiled once for each implementation with CAC_NAME.
//
// Each goes over its samples a block of 32 frames at a time, in 32-bit *words*: integers, or the bits of floats. Formats and
// the order of channels are the matter of moving words. A variable as wide as a block makes a debug build bearable.
#include <stddef.h>
#include "private.h"

#define CAC_INLINE static inline __attribute__((always_inline))

enum { block_frames = 32 };

// At any address.
typedef float __attribute__((ext_vector_type(32), aligned(1), may_alias)) floats;
typedef int32_t __attribute__((ext_vector_type(32), aligned(1), may_alias)) words;
typedef uint32_t __attribute__((ext_vector_type(32), aligned(1), may_alias)) unsigned_words;
typedef int16_t __attribute__((ext_vector_type(32), aligned(1), may_alias)) short_words;
typedef int32_t __attribute__((aligned(1), may_alias)) loose_word;
typedef int16_t __attribute__((aligned(1), may_alias)) loose_short;

// Vectors are never passed by value: the convention for that depends on the allowed instructions.
#define CAC_FLOATS(address) (*(floats *)(address))
#define CAC_CONST_FLOATS(address) (*(const floats *)(address))
#define CAC_WORDS(address) (*(words *)(address))
#define CAC_CONST_WORDS(address) (*(const words *)(address))

// Less than a block, one by one. The empty statement keeps the compiler from making a memcpy of the loop.
CAC_INLINE void move_few(void *destination, const void *source, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        ((loose_word *)destination)[i] = ((const loose_word *)source)[i];
        __asm__ volatile("" : : : "memory");
    }
}

CAC_INLINE uint32_t bytes_of(enum cac_format format) {
    return format == cac_int16 ? 2 : format == cac_int24 ? 3 : 4;
}

#include "kernels_mean.h"
#include "kernels_words.h"
#include "kernels_pack.h"
#include "kernels_store.h"
#include "kernels_load.h"
