// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include "contender.h"

void give_up(const char *what, const char *why) {
    fprintf(stderr, "resamplers: %s: %s\n", what, why);
    exit(1);
}
