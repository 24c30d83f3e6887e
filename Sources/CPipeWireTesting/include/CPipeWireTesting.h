// SPDX-License-Identifier: MIT
// What the test kit needs of C: the exact stepper, a filter as others write them, and two things of the system that Swift does not see.
#pragma once
#include "pbpw_foreign.h"
#include "pbpw_process.h"
#include "pbpw_stepper.h"
