// SPDX-License-Identifier: MIT
// Includes alone: libpng's simplified calls need no setjmp, and zlib has the checksum.
#pragma once
#include <png.h>
#include <zlib.h>
