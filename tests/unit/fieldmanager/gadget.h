// A kind with a list of each type, and short ways to write objects and sets of it.
#ifndef ASYNCOPS_TESTS_UNIT_FIELDMANAGER_GADGET_H_
#define ASYNCOPS_TESTS_UNIT_FIELDMANAGER_GADGET_H_

#include <string>
#include <string_view>

#include "api/fieldmanager/field_set.h"
#include "api/fieldmanager/typed_value.h"
#include "api/fieldmanager/updater.h"
#include "base/json.h"

namespace asyncops::fieldmanager {

// metadata as all kinds have it; spec with name and size (scalars), nested (an object of first and
// second), limits (a map of strings), command (an atomic list), tags (a set), ports (a map by name
// and protocol), steps (a map by name, of objects with args and limits) and parameters (free-form);
// status with phase.
const Schema& GadgetSchema();
inline FieldScope GadgetScope() { return {GadgetSchema()}; }
inline FieldScope StatusScope() { return {GadgetSchema(), true}; }

// The value of a JSON text; ends the process where it does not parse. In objects and sets of tests
// a single quote stands for a double one.
Json Value(std::string_view text);
// An object whose spec is this text.
Json Gadget(std::string_view spec);
// The set of a FieldsV1 text, and the text of a set.
FieldSet Fields(std::string_view text);
std::string Text(const FieldSet& set);
std::string Text(const Json& value);

// A manager that writes at second `second`.
FieldManager ManagerAt(std::string manager, int second = 0, std::string subresource = "");
// "MANAGER OPERATION[/SUBRESOURCE]@SECOND FIELDS" of each entry, a line each.
std::string Owners(const Json& object);

}  // namespace asyncops::fieldmanager

#endif  // ASYNCOPS_TESTS_UNIT_FIELDMANAGER_GADGET_H_
