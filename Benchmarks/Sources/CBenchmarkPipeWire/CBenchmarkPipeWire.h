// SPDX-License-Identifier: MIT
// The target exists for its pkg-config name. PipeBus's own one has the name CPipeWire already.
#pragma once
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
