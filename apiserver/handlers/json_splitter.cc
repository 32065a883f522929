#include "apiserver/handlers/json_splitter.h"

namespace asyncops::apiserver {
namespace {

// What is taken stays in front of the text until there is as much of it.
constexpr std::size_t kDropTaken = 64u * 1024;

}  // namespace

std::optional<std::size_t> JsonSplitter::ValueEnd() {
  for (scan_ = scan_ < at_ ? at_ : scan_; scan_ < text_.size(); ++scan_) {
    const char c = text_[scan_];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
      continue;
    }
    if (c == '"') in_string_ = true;
    if (c == '{' || c == '[') ++depth_;
    // A scalar ends before what follows it, a collection with its bracket.
    if (depth_ == 0 && (c == ',' || c == '}' || c == ']')) return scan_;
    if ((c == '}' || c == ']') && --depth_ == 0) return ++scan_;
  }
  return std::nullopt;
}

std::string_view JsonSplitter::Take(std::size_t end) {
  const std::string_view taken = std::string_view(text_).substr(at_, end - at_);
  at_ = end;
  return taken;
}

std::optional<JsonPiece> JsonSplitter::NextInList() {
  if (at_ == text_.size()) return std::nullopt;
  if (text_[at_] == ']') {
    ++at_;
    state_ = State::kAfterMember;
    return JsonPiece{.kind = JsonPiece::Kind::kListEnd, .name = {}, .value = {}};
  }
  if (text_[at_] == ',') ++at_;
  const std::optional<std::size_t> end = ValueEnd();
  if (!end) return std::nullopt;
  return JsonPiece{.kind = JsonPiece::Kind::kListItem, .name = {}, .value = Take(*end)};
}

std::optional<JsonPiece> JsonSplitter::Next() {
  if (at_ > kDropTaken) {
    text_.erase(0, at_);
    scan_ = scan_ < at_ ? 0 : scan_ - at_;
    at_ = 0;
  }
  while (state_ < State::kEnd && at_ < text_.size()) {
    switch (state_) {
      case State::kStart:
      case State::kAfterMember: state_ = text_[at_++] == '}' ? State::kEnd : State::kName; break;
      case State::kName: {
        // Of an object without members.
        if (text_[at_] == '}') {
          ++at_;
          state_ = State::kEnd;
          break;
        }
        const std::size_t end = text_.find("\":", at_ + 1);
        if (end == std::string::npos) return std::nullopt;
        name_ = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 2;
        state_ = State::kValue;
        break;
      }
      case State::kValue: {
        if (text_[at_] == '[') {
          ++at_;
          state_ = State::kItem;
          return JsonPiece{.kind = JsonPiece::Kind::kListBegin, .name = name_, .value = {}};
        }
        const std::optional<std::size_t> end = ValueEnd();
        if (!end) return std::nullopt;
        state_ = State::kAfterMember;
        return JsonPiece{.kind = JsonPiece::Kind::kMember, .name = name_, .value = Take(*end)};
      }
      case State::kItem: return NextInList();
      case State::kEnd:
      case State::kDone: break;
    }
  }
  if (state_ != State::kEnd) return std::nullopt;
  state_ = State::kDone;
  return JsonPiece{};
}

}  // namespace asyncops::apiserver
