// Statements of TVMScript, line by line.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tir/tvmscript/expressions.h"
#include "tir/tvmscript/frames.h"
#include "tir/tvmscript/function_draft.h"

namespace mlf::tir::tvmscript {

class Statements {
 public:
  Statements(Context& context, text::Lexer& lexer, Expressions& exprs)
      : c_(context), lexer_(lexer), exprs_(exprs), frames_(context) {}

  /// Reads a function from `def` to the last line of its body.
  void read_function(FunctionDraft& draft);

 private:
  using Keyword = void (Statements::*)();
  /// Makes what `name = T.…(…)` defines for the rest of the scope.
  using Definition = NodeId (Statements::*)(std::string_view name, const Arguments& args);
  /// Adds the scope that a call opens to the innermost frame; gives what `name` stands for in it.
  using Opener = NodeId (Statements::*)(std::string_view name, const Arguments& args);
  /// A call that is a line of its own.
  using Line = void (Statements::*)(const Arguments& args);
  struct LoopRange {
    NodeId min;
    NodeId extent;
  };
  enum class Form : std::uint8_t { concise, nested };
  /// `name = T.int32()`
  struct Declaration {
    std::uint32_t begin;
    std::string_view name;
    text::SyntaxId value;
  };

  // The function around the statements.
  void read_params();
  void read_param();
  NodeId read_scalar_param(std::string_view name, text::SyntaxId root);
  void read_body();
  void read_comment();

  // Lines.
  void align();
  void statement();
  void simple_statement();
  void annotated(text::SyntaxId target);
  void assignment(text::SyntaxId first_target);
  void define_all(const std::vector<text::SyntaxId>& names,
                  const std::vector<text::SyntaxId>& values);
  void define(text::SyntaxId target, text::SyntaxId value);
  bool is_declaration(text::SyntaxId value);
  NodeId declaration(std::string_view name, text::SyntaxId value);
  void store(text::SyntaxId target, text::SyntaxId value);
  void store_predicated(text::SyntaxId call);
  void expression_statement(text::SyntaxId root);
  void let(std::string_view name, NodeId type, NodeId value);
  void add(NodeId stmt);
  void open(FrameKind kind, Form form);
  void end_header();
  void end_line();
  std::string_view target_name(text::SyntaxId target);
  void bind(std::string_view name, NodeId node);
  NodeId declare(NodeId node);
  NodeId declared(std::string_view name, Kind kind);
  NodeId scope_var(std::string_view name, NodeId type);
  std::string_view expect_name(std::string_view wanted);
  bool at_word(std::string_view word) const;
  bool is_plain_name() const;
  NodeId read_expr() { return exprs_.expr(exprs_.read()); }
  static const std::unordered_map<std::string_view, Keyword>& keywords();
  static const std::unordered_map<std::string_view, Definition>& definitions();
  static const std::unordered_map<std::string_view, Opener>& openers();
  static const std::unordered_map<std::string_view, Line>& lines();

  // Statements that begin with a word.
  void keyword_for();
  void keyword_while();
  void keyword_if();
  void keyword_stray_else();
  void keyword_with();
  void keyword_assert();
  void keyword_return();
  void keyword_pass();
  void keyword_nested();
  void start_else();
  void open_if(std::uint32_t header_indent);
  void with_item();

  // Loops.
  void declare_ahead(text::SyntaxId bounds);
  std::vector<Declaration> declarations_of_suite();
  void open_loops(const std::vector<std::string_view>& names, text::SyntaxId iterable);
  void open_loop(std::string_view name, const Arguments& args, ForKind kind);
  void add_loop(std::string_view name, NodeId min, NodeId extent, ForKind kind, NodeId thread,
                const std::vector<NamedNode>& annotations);

  // What a name is set to.
  NodeId define_buffer(std::string_view name, const Arguments& args);
  NodeId define_match_buffer(std::string_view name, const Arguments& args);
  NodeId define_alloc_buffer(std::string_view name, const Arguments& args);
  NodeId define_env_thread(std::string_view name, const Arguments& args);
  NodeId define_old_var(std::string_view name, const Arguments& args);
  NodeId define_node_var(std::string_view name, const Arguments& args);
  NodeId constructed_var(std::string_view name, const Arguments& args);
  NodeId define_axis(std::string_view name, const Arguments& args);
  NodeId define_var(std::string_view name, std::string_view callee, const Arguments& args);
  void define_remap(const std::vector<text::SyntaxId>& names, const Arguments& args);

  // What opens a scope.
  NodeId open_let(std::string_view name, const Arguments& args);
  NodeId open_old_let(std::string_view name, const Arguments& args);
  NodeId open_attr(std::string_view name, const Arguments& args);
  std::string_view thread_tag(const Value& value, NodeId var);
  NodeId open_launch_thread(std::string_view name, const Arguments& args);
  NodeId open_assert(std::string_view name, const Arguments& args);
  NodeId open_allocate(std::string_view name, const Arguments& args);
  NodeId open_allocate_const(std::string_view name, const Arguments& args);
  NodeId open_decl_buffer(std::string_view name, const Arguments& args);
  NodeId open_realize(std::string_view name, const Arguments& args);
  NodeId open_producer_realize(std::string_view name, const Arguments& args);
  void add_assert(NodeId condition, NodeId message);

  // Lines of functions and blocks.
  void line_func_attr(const Arguments& args);
  void line_match_buffer(const Arguments& args);
  void line_evaluate(const Arguments& args);
  void line_preflattened_buffer(const Arguments& args);
  void line_store(const Arguments& args);
  void line_prefetch(const Arguments& args);
  void line_where(const Arguments& args);
  void line_reads(const Arguments& args);
  void line_writes(const Arguments& args);
  void line_block_attr(const Arguments& args);
  void open_block(const Arguments& args);
  void open_init(const Arguments& args);
  void open_root_block();
  BlockDraft& block_of(const Arguments& args);
  std::vector<NodeId> regions(const Arguments& args);
  void add_axis(std::string_view name, NodeId dom, IterVarType type,
                const std::optional<Value>& value);

  Context& c_;
  text::Lexer& lexer_;
  Expressions& exprs_;
  Frames frames_;
  FunctionDraft* draft_ = nullptr;
  std::uint32_t begin_ = 0;     // of the line
  std::uint32_t line_end_ = 0;  // of the last line
  bool expects_suite_ = false;  // the last line opened a frame whose indentation is not known yet
  std::unordered_map<std::uint32_t, LoopRange> loop_ranges_;         // by loop variable
  std::unordered_map<std::uint32_t, std::string_view> thread_tags_;  // by env_thread variable
  std::unordered_map<std::uint32_t, NodeId> ahead_;  // by line: what was declared before its turn
  std::unordered_set<std::uint32_t>
      declared_;  // variables and buffers that no statement has set yet
};

}  // namespace mlf::tir::tvmscript
