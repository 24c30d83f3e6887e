// SPDX-License-Identifier: MIT
// The kernels' bodies, compiled once for each implementation with CAK_NAME and CAK_BLOCK, the frames that are worked on
// at a time.
#include <stddef.h>
#include "private.h"

#define CAK_INLINE static inline __attribute__((always_inline))

// A variable as wide as a block makes a debug build bearable, unlike one as wide as a register. Samples may have any
// address.
#define CAK_VECTOR_TYPE(width) float __attribute__((ext_vector_type(width), aligned(4), may_alias))
#define CAK_INTEGER_TYPE(width) int32_t __attribute__((ext_vector_type(width), aligned(4), may_alias))

typedef CAK_VECTOR_TYPE(CAK_BLOCK) block;

#define CAK_UP_8(i) i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7
#define CAK_UP_32(i) CAK_UP_8(i), CAK_UP_8(i + 8), CAK_UP_8(i + 16), CAK_UP_8(i + 24)
#define CAK_DOWN_8(i) i, i - 1, i - 2, i - 3, i - 4, i - 5, i - 6, i - 7
#define CAK_DOWN_32(i) CAK_DOWN_8(i), CAK_DOWN_8(i - 8), CAK_DOWN_8(i - 16), CAK_DOWN_8(i - 24)

// The number of each frame of a block, counted from either end.
static const float vector_lanes[64] __attribute__((aligned(64))) = {CAK_UP_32(0), CAK_UP_32(32)};
static const float vector_lanes_backwards[64] __attribute__((aligned(64))) = {CAK_DOWN_32(63), CAK_DOWN_32(31)};

// The block at a pointer of any alignment.
//
// Blocks are never passed by value: the convention for that depends on the allowed instructions, and in a debug build
// it means copies.
#define CAK_AT(samples) (*(block *)(samples))
#define CAK_CONST_AT(samples) (*(const block *)(samples))

#include "kernels_copy.h"
#include "kernels_fade.h"
#include "kernels_measure.h"
#include "kernels_mix.h"
