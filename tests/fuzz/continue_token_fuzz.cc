// A continue token of a client: whatever is accepted comes back as it was.
#include "apiserver/handlers/list_options.h"
#include "tests/fuzz/fuzz_target.h"

void asyncops::fuzz::Run(std::string_view input) {
  const Result<apiserver::ContinueToken> token = apiserver::ContinueToken::Decode(input);
  if (!token.ok()) {
    return Hold(token.status().reason() == Reason::kBadRequest, "a bad token is a bad request");
  }
  Hold(token->name.find('/') == std::string::npos, "a name stays within its resource");
  const auto again = apiserver::ContinueToken::Decode(token->Encode());
  Hold(again.ok() && again->revision == token->revision && again->name == token->name &&
           again->namespace_name == token->namespace_name,
       "an accepted token means the same once it is encoded again");
}
