/*
 * The subset of JSON Schema (draft 2020-12, https://json-schema.org) that arguments of tools need: type
 * (object, array, string, integer, boolean), properties, required, additionalProperties, items, maxItems,
 * enum of strings, minLength and maxLength (characters), minimum, maximum. description is ignored. Any other
 * keyword in a schema is RC_INTERNAL.
 */
#ifndef ALFRED_CODEC_JSON_SCHEMA_H
#define ALFRED_CODEC_JSON_SCHEMA_H

#include "codec/json/json.h"

/* RC_OK: the value matches the schema. RC_BAD_INPUT, with a sentence that names the member, never its
 * value. */
enum rc schema_check(const json_t *schema, const json_t *value, struct err *e);

#endif
