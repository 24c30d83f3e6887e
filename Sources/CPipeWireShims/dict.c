// SPDX-License-Identifier: MIT
#include "pbpw_dict.h"

#include <pipewire/pipewire.h>

struct pbpw_properties *pbpw_properties_new(void) {
    return (struct pbpw_properties *)pw_properties_new(NULL, NULL);
}

void pbpw_properties_set(struct pbpw_properties *properties, const char *key, const char *value) {
    pw_properties_set((struct pw_properties *)properties, key, value);
}

void pbpw_properties_free(struct pbpw_properties *properties) {
    pw_properties_free((struct pw_properties *)properties);
}

static const struct spa_dict *dict_of(const struct pbpw_dict *dict) {
    return (const struct spa_dict *)dict;
}

uint32_t pbpw_dict_count(const struct pbpw_dict *dict) {
    return dict != NULL ? dict_of(dict)->n_items : 0;
}

const char *pbpw_dict_key(const struct pbpw_dict *dict, uint32_t index) {
    return dict_of(dict)->items[index].key;
}

const char *pbpw_dict_value(const struct pbpw_dict *dict, uint32_t index) {
    return dict_of(dict)->items[index].value;
}
