// SPDX-License-Identifier: MIT
#pragma once

// Ends a tool with a sentence, before its `main`, when the process has too little to work with; see limits.c. There is
// nothing to call: to be linked in is enough.
