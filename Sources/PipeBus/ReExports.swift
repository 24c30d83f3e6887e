// SPDX-License-Identifier: MIT
// The graph's values are part of this library's API: one import is enough for an app.
@_exported public import ConnectionGraph
