// SPDX-License-Identifier: MIT
// The target exists for its pkg-config name.
#pragma once
#include <jack/jack.h>
