// SPDX-License-Identifier: MIT
// GIO as PipeBusApps uses it, with what Swift does not import: casts and functions with any number of arguments.
#ifndef PIPEBUS_CGIO_H
#define PIPEBUS_CGIO_H

#include <gio/gio.h>
#include <gio/gdesktopappinfo.h>
#include <gio/gunixfdlist.h>

#endif
