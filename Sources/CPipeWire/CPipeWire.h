// SPDX-License-Identifier: MIT
// Includes alone: all code in C is in CPipeWireShims.
#pragma once
#include <pipewire/pipewire.h>
#include <pipewire/filter.h>
