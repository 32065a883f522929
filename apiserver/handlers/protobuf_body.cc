#include "apiserver/handlers/protobuf_body.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/encoding.h"
#include "base/rfc3339.h"

namespace asyncops::apiserver {
namespace {

// What stands before every protobuf body of Kubernetes (apimachinery's protoEncodingPrefix).
constexpr std::string_view kPrefix("k8s\0", 4);

struct Message;

// A field of a message as JSON has it.
struct Field {
  enum class Type {
    kText,
    kBytes,  // base64 in JSON
    kInteger,
    kBool,
    kTime,
    kTexts,    // repeated
    kTextMap,  // entries of key 1 and value 2
    kBytesMap,
    kMessage,
    kMessages,  // repeated
  };

  std::uint64_t number = 0;
  std::string_view name;
  Type type = Type::kText;
  const Message* message = nullptr;
};
using Type = Field::Type;

struct Message {
  std::span<const Field> fields;
};

// Numbers as in k8s.io/api and apimachinery (generated.proto).
constexpr std::array kOwnerFields = {
    Field{1, "kind"},
    Field{3, "name"},
    Field{4, "uid"},
    Field{5, "apiVersion"},
    Field{6, "controller", Type::kBool},
    Field{7, "blockOwnerDeletion", Type::kBool},
};
constexpr Message kOwner{kOwnerFields};

constexpr std::array kMetaFields = {
    Field{1, "name"},
    Field{2, "generateName"},
    Field{3, "namespace"},
    Field{5, "uid"},
    Field{6, "resourceVersion"},
    Field{7, "generation", Type::kInteger},
    Field{8, "creationTimestamp", Type::kTime},
    Field{9, "deletionTimestamp", Type::kTime},
    Field{10, "deletionGracePeriodSeconds", Type::kInteger},
    Field{11, "labels", Type::kTextMap},
    Field{12, "annotations", Type::kTextMap},
    Field{13, "ownerReferences", Type::kMessages, &kOwner},
    Field{14, "finalizers", Type::kTexts},
};
constexpr Message kMeta{kMetaFields};

constexpr std::array kNamespaceSpecFields = {Field{1, "finalizers", Type::kTexts}};
constexpr Message kNamespaceSpec{kNamespaceSpecFields};
constexpr std::array kNamespaceStatusFields = {Field{1, "phase"}};
constexpr Message kNamespaceStatus{kNamespaceStatusFields};
constexpr std::array kNamespaceFields = {
    Field{1, "metadata", Type::kMessage, &kMeta},
    Field{2, "spec", Type::kMessage, &kNamespaceSpec},
    Field{3, "status", Type::kMessage, &kNamespaceStatus},
};
constexpr Message kNamespace{kNamespaceFields};

constexpr std::array kSecretFields = {
    Field{1, "metadata", Type::kMessage, &kMeta},
    Field{2, "data", Type::kBytesMap},
    Field{3, "type"},
    Field{4, "stringData", Type::kTextMap},
    Field{5, "immutable", Type::kBool},
};
constexpr Message kSecret{kSecretFields};

constexpr std::array kPreconditionsFields = {Field{1, "uid"}, Field{2, "resourceVersion"}};
constexpr Message kPreconditions{kPreconditionsFields};
constexpr std::array kDeleteOptionsFields = {
    Field{1, "gracePeriodSeconds", Type::kInteger},
    Field{2, "preconditions", Type::kMessage, &kPreconditions},
    Field{3, "orphanDependents", Type::kBool},
    Field{4, "propagationPolicy"},
    Field{5, "dryRun", Type::kTexts},
};
constexpr Message kDeleteOptions{kDeleteOptionsFields};

constexpr std::array kTypeMetaFields = {Field{1, "apiVersion"}, Field{2, "kind"}};
constexpr Message kTypeMeta{kTypeMetaFields};
// runtime.Unknown. Its raw bytes are read by themselves.
constexpr std::uint64_t kUnknownRaw = 2;
constexpr std::array kUnknownFields = {Field{1, "typeMeta", Type::kMessage, &kTypeMeta}};
constexpr Message kUnknown{kUnknownFields};
constexpr std::array kTimeFields = {Field{1, "seconds", Type::kInteger}};
constexpr Message kTime{kTimeFields};
constexpr std::array kTextEntryFields = {Field{1, "key"}, Field{2, "value"}};
constexpr Message kTextEntry{kTextEntryFields};
constexpr std::array kBytesEntryFields = {Field{1, "key"}, Field{2, "value", Type::kBytes}};
constexpr Message kBytesEntry{kBytesEntryFields};

// A field as it stands on the wire.
struct Token {
  enum class Wire : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  std::uint64_t number = 0;
  Wire wire = Wire::kVarint;
  std::uint64_t integer = 0;
  std::string_view bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }

  // Nothing where the bytes are no field.
  std::optional<Token> Next() {
    const std::optional<std::uint64_t> tag = Varint();
    if (!tag) return std::nullopt;
    Token token{.number = *tag >> 3, .wire = static_cast<Token::Wire>(*tag & 7), .bytes = {}};
    std::optional<std::uint64_t> value;
    switch (token.wire) {
      case Token::Wire::kVarint: value = Varint(); break;
      case Token::Wire::kFixed64: return Take(8, &token);
      case Token::Wire::kFixed32: return Take(4, &token);
      case Token::Wire::kBytes:
        value = Varint();
        return value ? Take(*value, &token) : std::nullopt;
      default: return std::nullopt;
    }
    if (!value) return std::nullopt;
    token.integer = *value;
    return token;
  }

 private:
  std::optional<std::uint64_t> Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return std::nullopt;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    return std::nullopt;
  }

  std::optional<Token> Take(std::uint64_t size, Token* token) {
    if (size > rest_.size()) return std::nullopt;
    token->bytes = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return *token;
  }

  std::string_view rest_;
};

bool IsOnWireAs(Type type, Token::Wire wire) {
  const bool varint = type == Type::kInteger || type == Type::kBool;
  return wire == (varint ? Token::Wire::kVarint : Token::Wire::kBytes);
}

const Field* FindField(const Message& message, std::uint64_t number) {
  for (const Field& field : message.fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

// False where the bytes are no such message. The messages nest a fixed number of times.
bool DecodeMessage(const Message& message, std::string_view bytes, JsonObject* out);

// Entries of a message's maps by the map's name. They become an object all at once: set one by one,
// in an order that a client chooses, they would take time by the square of their number.
using MapEntries = std::map<std::string_view, std::vector<JsonMember>>;

bool IsMap(Type type) { return type == Type::kTextMap || type == Type::kBytesMap; }

bool DecodeEntry(const Field& field, const Token& token, MapEntries* maps) {
  if (!IsOnWireAs(field.type, token.wire)) return false;
  JsonObject pair{{"key", ""}, {"value", ""}};
  const Message& entry = field.type == Type::kTextMap ? kTextEntry : kBytesEntry;
  if (!DecodeMessage(entry, token.bytes, &pair)) return false;
  (*maps)[field.name].push_back({pair.Find("key")->as_string(), std::move(*pair.Find("value"))});
  return true;
}

bool DecodeTime(std::string_view bytes, Json* out) {
  JsonObject time;
  if (!DecodeMessage(kTime, bytes, &time)) return false;
  const Json* seconds = time.Find("seconds");
  // Go writes its zero time as a message without fields: it stands for no time.
  if (seconds == nullptr) return true;
  constexpr std::int64_t kLatest = 253402300799;  // 9999-12-31T23:59:59Z
  if (seconds->as_int() < 0 || seconds->as_int() > kLatest) return true;
  *out = FormatTime(Time(std::chrono::seconds(seconds->as_int())));
  return true;
}

Json& Member(std::string_view name, Json empty, JsonObject* out) {
  Json* found = out->Find(name);
  return found != nullptr ? *found : out->Set(name, std::move(empty));
}

bool DecodeField(const Field& field, const Token& token, JsonObject* out) {
  if (!IsOnWireAs(field.type, token.wire)) return false;
  const bool text = field.type == Type::kText || field.type == Type::kTexts;
  if (text && !IsUtf8(token.bytes)) return false;
  Json value;
  switch (field.type) {
    case Type::kText: value = std::string(token.bytes); break;
    case Type::kBytes: value = Base64Encode(token.bytes); break;
    case Type::kInteger: value = static_cast<std::int64_t>(token.integer); break;
    case Type::kBool: value = token.integer != 0; break;
    case Type::kTexts:
      Member(field.name, JsonArray(), out).as_array().emplace_back(std::string(token.bytes));
      return true;
    case Type::kTextMap:
    case Type::kBytesMap: return false;  // DecodeEntry's
    case Type::kMessage:
      return DecodeMessage(*field.message, token.bytes,
                           &Member(field.name, JsonObject(), out).as_object());
    case Type::kMessages: {
      JsonObject item;
      if (!DecodeMessage(*field.message, token.bytes, &item)) return false;
      Member(field.name, JsonArray(), out).as_array().emplace_back(std::move(item));
      return true;
    }
    case Type::kTime:
      if (!DecodeTime(token.bytes, &value)) return false;
      if (value.is_null()) return true;
  }
  // Go writes what is empty, too: it is as if it were not there.
  const bool is_empty = value.is_string() && value.as_string().empty();
  const bool is_zero = value.is_int() && value.as_int() == 0;
  if (!is_empty && !is_zero) out->Set(field.name, std::move(value));
  return true;
}

bool DecodeMessage(const Message& message, std::string_view bytes, JsonObject* out) {
  MapEntries maps;
  Reader reader(bytes);
  while (!reader.done()) {
    const std::optional<Token> token = reader.Next();
    if (!token || token->number == 0) return false;
    const Field* field = FindField(message, token->number);
    if (field == nullptr) continue;
    const bool decoded =
        IsMap(field->type) ? DecodeEntry(*field, *token, &maps) : DecodeField(*field, *token, out);
    if (!decoded) return false;
  }
  for (auto& [name, members] : maps) out->Set(name, JsonObject(std::move(members)));
  return true;
}

Status Malformed() { return BadRequest("the body of the request is no protobuf of Kubernetes"); }

const Message* FindKind(std::string_view api_version, std::string_view kind) {
  // Each group has these as its own.
  if (kind == "DeleteOptions") return &kDeleteOptions;
  if (api_version != "v1") return nullptr;
  if (kind == "Namespace") return &kNamespace;
  return kind == "Secret" ? &kSecret : nullptr;
}

}  // namespace

Result<Json> DecodeProtobuf(std::string_view bytes) {
  if (!bytes.starts_with(kPrefix)) return Malformed();
  bytes.remove_prefix(kPrefix.size());
  JsonObject envelope;
  if (!DecodeMessage(kUnknown, bytes, &envelope)) return Malformed();
  std::string_view raw;
  for (Reader reader(bytes); !reader.done();) {
    const std::optional<Token> token = reader.Next();
    if (token && token->number == kUnknownRaw) raw = token->bytes;
  }
  const Json whole(std::move(envelope));
  const std::string_view api_version = whole.StringAt({"typeMeta", "apiVersion"});
  const std::string_view kind = whole.StringAt({"typeMeta", "kind"});
  const Message* message = FindKind(api_version, kind);
  if (message == nullptr) {
    return Status(Reason::kUnsupportedMediaType,
                  "protobuf is taken for DeleteOptions and for the Namespace and the Secret of v1 "
                  "only - accepted media types include: application/json, application/yaml");
  }
  JsonObject object{{"apiVersion", std::string(api_version)}, {"kind", std::string(kind)}};
  if (!DecodeMessage(*message, raw, &object)) return Malformed();
  return Json(std::move(object));
}

}  // namespace asyncops::apiserver
