// Where a value stands in the one that is walked over.
#ifndef ASYNCOPS_API_SCHEMA_PLACE_H_
#define ASYNCOPS_API_SCHEMA_PLACE_H_

#include <string>
#include <string_view>

#include "api/meta/field_error.h"

namespace asyncops {

// A link of a chain that goes up the stack: it costs nothing until somebody asks for the path,
// which is where there is a mistake to report. Outer places and names outlive it.
class Place {
 public:
  // That of the whole value.
  Place() = default;
  Place(const Place& outer, std::string_view name) : outer_(&outer), name_(name) {}
  Place(const Place& outer, std::size_t index) : outer_(&outer), index_(index), is_item_(true) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  // As FieldPath makes it; "" of the whole value.
  std::string Path() const {
    if (outer_ == nullptr) return "";
    return is_item_ ? FieldPath(outer_->Path(), index_) : FieldPath(outer_->Path(), name_);
  }

 private:
  const Place* outer_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;
  bool is_item_ = false;
};

}  // namespace asyncops

#endif  // ASYNCOPS_API_SCHEMA_PLACE_H_
