// Prints the statements of a function, on a stack of its own instead of by recursion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tir/tvmscript/write/declarations.h"
#include "tir/tvmscript/write/definitions.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {

class StatementPrinter {
 public:
  StatementPrinter(Printer& printer, Script& script, const Definitions& definitions,
                   Declarations& declarations);

  /// Prints `body` as the rest of a suite.
  void print(Node body, Indent indent);

 private:
  /// Whether a statement is the last one of its suite: then what it opens may reach to the end.
  enum class Place : std::uint8_t { inside, last };
  struct Step {
    enum class Task : std::uint8_t { statement, words, end_of_scope };
    Task task = Task::statement;
    Place place = Place::last;
    Indent indent = 0;
    Node node{};
    std::string_view words{};
    std::size_t mark = 0;
  };
  /// The line in front of the body of a statement around others.
  struct Header {
    /// Whether a scope may do without a suite of its own where it is the last of one.
    enum class Suite : std::uint8_t { if_inside, always };
    /// What the name refers to: what the call makes, or a buffer around it.
    enum class Names : std::uint8_t { itself, buffer };
    TextFragments call{};  ///< `T.allocate(…)`
    Node defines{};        ///< the variable or buffer that the call makes
    TextFragments
        annotated{};  ///< the line to write instead where it reaches to the end of the suite
    Suite suite = Suite::if_inside;
    Names names = Names::itself;
  };

  void statement(const Step& step);
  void sequence(const Step& step);
  void branch(const Step& step);
  void loop(const Step& step);
  TextFragments loop_range(Node node);
  void loop_bounds(Node node, TextFragments& out);
  void evaluate(const Step& step);
  void store(const Step& step);
  void line_of_form(const Step& step);
  void prefetch(const Step& step);

  void around(const Step& step, Header header, Node body);
  void let(const Step& step);
  void let_of_taken(const Step& step);
  void assertion(const Step& step);
  void attribute(const Step& step);
  void allocate(const Step& step);
  void allocate_const(const Step& step);
  TextFragments elements(Node allocate_const);
  void decl_buffer(const Step& step);
  void realize(const Step& step, Node scope);

  void block_realize(const Step& step);
  void block(const Step& step, Node realize);
  void block_head(Node block, Node realize, Indent indent);
  void axes(Node block, Node realize, Indent indent);
  void regions(std::string_view callee, NodeList regions, Indent indent);

  void suite(Node body, Indent indent);
  std::size_t open_scope() { return printer_.names().mark(); }
  void close_scope_after(std::size_t mark);
  std::string define(Node node);
  std::string define(const Header& header);
  Header::Names names_of_allocations() const;
  void annotations(const NodeMap& map, TextFragments& out);

  Printer& printer_;
  Script& script_;
  const Definitions& definitions_;
  Declarations& declarations_;
  std::vector<Step> stack_;
};

}  // namespace mlf::tir::tvmscript
