// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>

#include "CAppSupport.h"

enum { seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

int pbapp_memory_create(void) {
    return memfd_create("pipebus-state", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

bool pbapp_memory_seal(int descriptor) {
    return fcntl(descriptor, F_ADD_SEALS, seals) == 0;
}

bool pbapp_memory_is_sealed(int descriptor) {
    int present = fcntl(descriptor, F_GET_SEALS);
    return present >= 0 && (present & seals) == seals;
}
