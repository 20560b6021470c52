// Writes HTML element by element. The one place where text becomes markup.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "mlf/formats.h"

namespace mlf::page {

/// Text as it is written between tags and in quoted attributes: characters of HTML are escaped,
/// and characters that a browser obeys instead of showing (support/characters.h) are spelled out,
/// but for newlines and tabs. Bytes that are not UTF-8 become U+FFFD.
std::string escaped(std::string_view text);

/// A text as the fragment of a link: everything but ASCII letters, digits and -._~= is
/// percent-encoded.
std::string fragment(std::string_view id);

class HtmlWriter {
 public:
  using Attribute = std::pair<std::string_view, std::string_view>;
  using Attributes = std::initializer_list<Attribute>;

  /// `sink` must outlive this.
  explicit HtmlWriter(const Sink& sink) : sink_(sink) {}

  /// An attribute with an empty name is left out.
  void open(std::string_view tag, Attributes attributes = {});
  void close(std::string_view tag);
  void text(std::string_view text);
  /// Text with names in it: where a line is too short for one, it is broken behind an underscore or
  /// a slash.
  void breakable(std::string_view text);
  /// An element that holds text alone.
  void element(std::string_view tag, Attributes attributes, std::string_view content);
  void element(std::string_view tag, std::string_view content) { element(tag, {}, content); }
  /// Markup of this program or of Graphviz, as it is.
  void trusted(std::string_view markup) { buffer_ += markup; }
  void flush();

 private:
  const Sink& sink_;
  std::string buffer_;
};

}  // namespace mlf::page
