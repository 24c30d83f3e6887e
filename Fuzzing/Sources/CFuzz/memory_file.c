// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <sys/mman.h>

#include "CFuzz.h"

int cfuzz_memory_file(void) {
    return memfd_create("fuzz", MFD_CLOEXEC);
}
