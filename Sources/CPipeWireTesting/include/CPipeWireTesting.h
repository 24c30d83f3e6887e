// SPDX-License-Identifier: MIT
// The C part of the test kit: the exact stepper, a foreign filter, and two functions of the system that Swift does not
// import.
#pragma once
#include "pbpw_foreign.h"
#include "pbpw_process.h"
#include "pbpw_stepper.h"
