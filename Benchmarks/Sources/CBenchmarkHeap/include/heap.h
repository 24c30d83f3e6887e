// SPDX-License-Identifier: MIT
// The memory of a program.
#pragma once
#include <stddef.h>

// The bytes that the program has allocated and not freed, by the account of the C library, with what it adds to each block.
size_t heap_bytes(void);
