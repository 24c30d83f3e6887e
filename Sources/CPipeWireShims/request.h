// SPDX-License-Identifier: MIT
#pragma once
#include <spa/pod/pod.h>

#include "pbpw_filter.h"

// Passes each request in a Props parameter to the filter's owner.
void pbpw_requests_parse(const struct spa_pod *props, const struct pbpw_filter_events *events, void *data);
