// SPDX-License-Identifier: MIT
// What the test kit needs of C: the exact stepper, and two things of the system that Swift does not see.
#pragma once
#include "pbpw_process.h"
#include "pbpw_stepper.h"
