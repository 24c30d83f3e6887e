// SPDX-License-Identifier: MIT
#include "heap.h"

#include <malloc.h>

size_t heap_bytes(void) {
    const struct mallinfo2 account = mallinfo2();
    // The second are large blocks, which are mapped one by one.
    return account.uordblks + account.hblkhd;
}
