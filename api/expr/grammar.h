// The recursive-descent parser behind parser.h. Its rules stand in grammar_operators.cc
// (operators), grammar_primary.cc (literals and members), grammar_names.cc (variables) and
// grammar_calls.cc (functions and macros).
#ifndef ASYNCOPS_API_EXPR_GRAMMAR_H_
#define ASYNCOPS_API_EXPR_GRAMMAR_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/expr/environment.h"
#include "api/expr/functions.h"
#include "api/expr/lexer.h"
#include "api/expr/program.h"
#include "api/expr/source_position.h"

namespace asyncops::expr {

// One parse. A rule returns the node it made, or nothing after it has noted the mistake.
class Grammar {
 public:
  Grammar(const Environment& environment, std::vector<Token> tokens, std::vector<Node>* nodes)
      : environment_(environment), tokens_(std::move(tokens)), nodes_(nodes) {}

  // The root of the whole source, or nothing and mistake() says why.
  std::optional<NodeId> ParseAll();
  const Mistake& mistake() const { return mistake_; }

 private:
  using Parsed = std::optional<NodeId>;
  using Rule = Parsed (Grammar::*)();

  // --- operators, loosest first ---
  Parsed Expression();
  Parsed Conditional();
  Parsed Or();
  Parsed And();
  Parsed Relation();
  Parsed Addition();
  Parsed Multiplication();
  Parsed Unary();
  Parsed UnaryOperator();
  // `operand (word operand)*` as one node with all operands.
  Parsed Chain(std::string_view word, Node::Kind kind, Rule operand);
  struct BinaryWord {
    std::string_view word;
    Operator op;
  };
  // `operand (word operand)*`, left to right.
  Parsed LeftAssociative(std::span<const BinaryWord> words, Rule operand);

  // --- literals and members ---
  Parsed Member();
  Parsed Primary();
  Parsed MembersOf(NodeId target);
  Parsed FieldOrCall(NodeId target);
  Parsed Index(NodeId target);
  Parsed Parenthesized();
  Parsed List();
  Parsed Map();
  Parsed MapEntry(Node* map);
  Parsed Number(bool negative);
  Parsed Constant(const Token& token, Json value);

  // --- names ---
  Parsed Name();
  // `Name{` or `package.Name{`.
  bool IsMessage() const;
  Parsed LocalVariable(const Token& name);
  Parsed RootVariable(const Token& name);
  // Walks the fixed fields that follow a root; the shape of what was reached goes to *shape.
  bool FixedFields(Node* variable, const Shape** shape);
  bool CheckAfterScalar(const Node& variable);
  bool CheckHeaderName(const Node& variable);
  // The name that follows as `.name` or `["name"]`, without taking it; null where none follows.
  const Token* NextFieldName() const;
  void TakeFieldName();

  // --- functions and macros ---
  Parsed GlobalCall();
  // `prefix.name(...)`, where the prefix is no variable.
  bool IsQualifiedCall() const;
  Parsed QualifiedCall();
  Parsed Has(const Token& word);
  Parsed MethodCall(NodeId receiver, const Token& name);
  Parsed Comprehension(NodeId range, const Token& name, Macro macro);
  Parsed ComprehensionBody(Node node, const Token& variable);
  // The spelling of `name` as it is looked up: "size", "base64.encode".
  Parsed FinishCall(const Token& name, std::string_view spelling, std::vector<NodeId> args,
                    bool member);
  bool CompilePattern(Node* call);
  bool CheckTimeLiteral(const Node& call);
  // `expression, ...` up to the closing word, which is taken.
  bool Arguments(std::string_view closing, std::vector<NodeId>* args);

  // --- tokens ---
  const Token& Peek(std::size_t ahead = 0) const;
  const Token& Take();
  bool TakeIf(std::string_view spelling);
  bool Expect(std::string_view spelling);
  // A word of the language, which names nothing.
  static bool IsKeyword(const Token& name);
  // A keyword, or a word that cel-spec keeps: no variable has such a name, a field may.
  static bool IsReserved(const Token& name);

  // Adds the node; refuses one that nests too deep.
  Parsed Add(Node node);
  std::nullopt_t Fail(std::size_t offset, std::string message);
  // "WHAT are not in the supported subset".
  std::nullopt_t Outside(const Token& token, std::string_view what);
  // "expected WHAT", or what is wrong with the token instead.
  std::nullopt_t Unexpected(const Token& token, std::string_view expected);
  const Node& At(NodeId id) const { return (*nodes_)[id]; }

  const Environment& environment_;
  std::vector<Token> tokens_;
  std::vector<Node>* nodes_;
  std::size_t next_ = 0;
  int nesting_ = 0;
  // The variables of the macros around this place, outermost first.
  std::vector<std::string_view> locals_;
  Mistake mistake_;
};

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_GRAMMAR_H_
