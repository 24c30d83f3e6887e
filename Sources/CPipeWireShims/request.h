// SPDX-License-Identifier: MIT
#pragma once
#include <spa/pod/pod.h>

#include "pbpw_filter.h"

// Gives each request that a Props parameter carries to the filter's owner.
void pbpw_requests_parse(const struct spa_pod *props, const struct pbpw_filter_events *events, void *data);
