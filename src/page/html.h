// Writes HTML element by element. Only this file converts text to markup.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/export.h"
#include "mlf/formats.h"

namespace mlf::page {

/// Escapes text for content and quoted attributes: characters of HTML and XML, and characters that
/// a browser interprets instead of displaying them (support/characters.h), except newlines and
/// tabs. Bytes that are not UTF-8 become U+FFFD.
MLF_API std::string escaped(std::string_view text);

/// Encodes a text as the fragment of a link: percent-encodes everything but ASCII letters, digits
/// and -._~=.
std::string fragment(std::string_view id);

/// Markup that a large page has compressed, as offsets in everything written.
struct PagePart {
  std::string_view subject;  ///< what it shows, for the sentence in its place
  std::size_t begin = 0;
  std::size_t end = 0;
};

class HtmlWriter {
 public:
  using Attribute = std::pair<std::string_view, std::string_view>;
  using Attributes = std::initializer_list<Attribute>;

  /// `sink` must outlive this.
  explicit HtmlWriter(const Sink& sink) : sink_(sink) {}

  /// Leaves out an attribute with an empty name.
  void open(std::string_view tag, Attributes attributes = {});
  /// Leaves out the end tags of rows, cells and items of lists, which nothing but others of these
  /// or the end of their parent may follow.
  void close(std::string_view tag);
  void text(std::string_view text);
  /// Text with long names: allows line breaks after underscores and slashes.
  void breakable(std::string_view text);
  /// An element that contains only such text.
  void breakable_element(std::string_view tag, Attributes attributes, std::string_view content);
  /// An element that contains only text.
  void element(std::string_view tag, Attributes attributes, std::string_view content);
  void element(std::string_view tag, std::string_view content) { element(tag, {}, content); }
  /// Unescaped markup of this program or of Graphviz.
  void trusted(std::string_view markup) { buffer_ += markup; }
  /// A part: whole elements, and no other part. `subject` must outlive the page.
  void begin_part(std::string_view subject) { parts_.push_back({subject, size(), size()}); }
  void end_part() { parts_.back().end = size(); }
  /// In their order.
  const std::vector<PagePart>& parts() const { return parts_; }
  void flush();

 private:
  std::size_t size() const { return flushed_ + buffer_.size(); }

  const Sink& sink_;
  std::string buffer_;
  std::size_t flushed_ = 0;
  std::vector<PagePart> parts_;
};

}  // namespace mlf::page
