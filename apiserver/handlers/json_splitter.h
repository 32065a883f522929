// A JSON object taken apart while it is being made: member by member, and the items of a list one
// by one, so that a list of any length can be written in another form with the memory of one item.
#ifndef ASYNCOPS_APISERVER_HANDLERS_JSON_SPLITTER_H_
#define ASYNCOPS_APISERVER_HANDLERS_JSON_SPLITTER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace asyncops::apiserver {

// One step of an object's text.
struct JsonPiece {
  enum class Kind { kMember, kListBegin, kListItem, kListEnd, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view name;   // of kMember and kListBegin
  std::string_view value;  // of kMember and kListItem: its text
};

// For what our own encoders write: compact, valid, names without escapes. Not safe for use from
// several threads.
class JsonSplitter {
 public:
  void Append(std::string_view bytes) { text_.append(bytes); }
  // Bytes may be appended to this directly.
  std::string* buffer() { return &text_; }
  // The next piece, kEnd once; nothing where more bytes are needed or nothing comes any more. Its
  // views live until the next call.
  std::optional<JsonPiece> Next();

 private:
  enum class State { kStart, kName, kValue, kAfterMember, kItem, kEnd, kDone };

  // The end of the value that starts at `at_`; nothing where it is not there yet.
  std::optional<std::size_t> ValueEnd();
  std::optional<JsonPiece> NextInList();
  // Takes the text up to `end`.
  std::string_view Take(std::size_t end);

  State state_ = State::kStart;
  std::string text_;
  std::size_t at_ = 0;    // what is before it has been taken
  std::size_t scan_ = 0;  // how far the present value has been looked at
  int depth_ = 0;         // there
  bool in_string_ = false;
  bool escaped_ = false;
  std::string name_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_JSON_SPLITTER_H_
