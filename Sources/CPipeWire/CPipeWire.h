// SPDX-License-Identifier: MIT
// Nothing but includes: everything that needs a line of C is in CPipeWireShims.
#pragma once
#include <pipewire/pipewire.h>
#include <pipewire/filter.h>
