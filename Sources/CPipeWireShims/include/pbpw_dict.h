// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

// Properties for PipeWire. The function that takes them owns them.
struct pbpw_properties;
struct pbpw_properties *pbpw_properties_new(void);
void pbpw_properties_set(struct pbpw_properties *properties, const char *key, const char *value);
void pbpw_properties_free(struct pbpw_properties *properties);

// Properties from PipeWire, valid only during the call that passes them. May be NULL.
struct pbpw_dict;
uint32_t pbpw_dict_count(const struct pbpw_dict *dict);
const char *pbpw_dict_key(const struct pbpw_dict *dict, uint32_t index);
const char *pbpw_dict_value(const struct pbpw_dict *dict, uint32_t index);
