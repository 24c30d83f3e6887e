// SPDX-License-Identifier: MIT
#pragma once
#include <ebur128.h>
