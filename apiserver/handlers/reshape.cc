#include "apiserver/handlers/reshape.h"

#include <memory>
#include <utility>

#include "apiserver/handlers/json_splitter.h"
#include "base/json.h"
#include "base/yaml.h"

namespace asyncops::apiserver {
namespace {

// Appends text with each of its lines two or more levels further in; the first one stands already.
void AppendIndented(std::string_view text, std::size_t levels, std::string* out) {
  for (const char c : text) {
    out->push_back(c);
    if (c == '\n') out->append(levels * 2, ' ');
  }
}

// Writes the pieces of an object in one form. What does not parse is our own mistake: null.
class PieceWriter {
 public:
  explicit PieceWriter(Form form) : form_(form) {}

  void Write(const JsonPiece& piece, std::string* out) {
    if (form_ == Form::kYaml) {
      WriteYaml(piece, out);
    } else {
      WritePretty(piece, out);
    }
  }

 private:
  static Json Parsed(std::string_view text) {
    Result<Json> value = ParseJson(text);
    return value.ok() ? *std::move(value) : Json();
  }

  void WriteYaml(const JsonPiece& piece, std::string* out) {
    switch (piece.kind) {
      case JsonPiece::Kind::kMember:
        ++members_;
        out->append(EncodeYaml(Json::Of({{std::string(piece.name), Parsed(piece.value)}})));
        return;
      case JsonPiece::Kind::kListBegin:
        ++members_;
        items_ = 0;
        out->append(piece.name).append(":");
        return;
      case JsonPiece::Kind::kListItem:
        if (items_++ == 0) out->push_back('\n');
        out->append(EncodeYaml(JsonArray{Parsed(piece.value)}));
        return;
      case JsonPiece::Kind::kListEnd: out->append(items_ == 0 ? " []\n" : ""); return;
      case JsonPiece::Kind::kEnd: out->append(members_ == 0 ? "{}\n" : ""); return;
    }
  }

  void WritePretty(const JsonPiece& piece, std::string* out) {
    switch (piece.kind) {
      case JsonPiece::Kind::kMember:
        BeginMember(piece.name, out);
        AppendPretty(piece.value, 1, out);
        return;
      case JsonPiece::Kind::kListBegin:
        BeginMember(piece.name, out);
        out->push_back('[');
        items_ = 0;
        return;
      case JsonPiece::Kind::kListItem:
        out->append(items_++ == 0 ? "\n    " : ",\n    ");
        AppendPretty(piece.value, 2, out);
        return;
      case JsonPiece::Kind::kListEnd: out->append(items_ == 0 ? "]" : "\n  ]"); return;
      case JsonPiece::Kind::kEnd: out->append(members_ == 0 ? "{}\n" : "\n}\n"); return;
    }
  }

  void BeginMember(std::string_view name, std::string* out) {
    out->append(members_++ == 0 ? "{\n  " : ",\n  ");
    AppendJsonString(name, out);
    out->append(": ");
  }

  static void AppendPretty(std::string_view text, std::size_t levels, std::string* out) {
    std::string pretty = EncodePrettyJson(Parsed(text));
    pretty.pop_back();
    AppendIndented(pretty, levels, out);
  }

  const Form form_;
  std::size_t members_ = 0;
  std::size_t items_ = 0;
};

// Another source's JSON in another form.
class ReshapedSource final : public http::BodySource {
 public:
  ReshapedSource(std::unique_ptr<http::BodySource> source, Form form)
      : source_(std::move(source)), writer_(form) {}

  State Read(std::string* out) override {
    const State state = source_->Read(splitter_.buffer());
    if (state == State::kAbort) return state;
    while (const std::optional<JsonPiece> piece = splitter_.Next()) writer_.Write(*piece, out);
    return state;
  }
  void SetWake(std::function<void()> wake) override { source_->SetWake(std::move(wake)); }
  std::optional<SteadyTime> WakeAt() const override { return source_->WakeAt(); }
  void Stop() override { source_->Stop(); }

 private:
  const std::unique_ptr<http::BodySource> source_;
  JsonSplitter splitter_;
  PieceWriter writer_;
};

}  // namespace

void Reshape(Form form, http::Response* response) {
  if (form == Form::kCompact) return;
  if (response->headers.Get("Content-Type") != "application/json") return;
  if (response->source != nullptr) {
    response->source = std::make_unique<ReshapedSource>(std::move(response->source), form);
  } else if (const Result<Json> parsed = ParseJson(response->body); parsed.ok()) {
    response->body = form == Form::kYaml ? EncodeYaml(*parsed) : EncodePrettyJson(*parsed);
  } else {
    return;
  }
  if (form == Form::kYaml) response->headers.Set("Content-Type", "application/yaml");
}

}  // namespace asyncops::apiserver
