// The page around its parts: head, policy, navigation, and the report as JSON.
#include "page/page.h"

#include <fmt/core.h>
#include <zlib.h>

#include <memory>
#include <new>
#include <span>
#include <string>

#include "mlf/formats.h"
#include "page/assets.h"
#include "page/parts.h"
#include "support/base64.h"
#include "support/error.h"
#include "support/sha256.h"

namespace mlf {
namespace page {
namespace {

/// The name of a permitted text in a content security policy.
std::string hash_source(std::string_view text) {
  support::Sha256 digest;
  digest.update(text);
  std::string source = "'sha256-";
  const auto bytes = digest.bytes();
  support::append_base64(source, std::as_bytes(std::span(bytes)));
  return source + "'";
}

/// Links to the parts that write_module writes.
void write_links_of(HtmlWriter& html, const ModuleView& module) {
  write_links(html, module.position, module.report.name,
              {{"calls", "Calls", !module.report.calls.empty()},
               {"memory", "Memory", has_memory(module)},
               {"findings", "Findings", true},
               {"application", "Application", true},
               {"network", "Network", module.report.network.has_value()},
               {"kernels", "Kernels", !module.report.kernels.empty()}});
}

void write_module(HtmlWriter& html, const ModuleView& module) {
  write_section(html, module.position, module.report.name, [&] {
    write_overview(html, module);
    write_calls(html, module);
    write_memory(html, module);
    write_live(html, module);
    write_findings(html, module);
    write_application(html, module);
    write_network(html, module);
    write_kernels(html, module);
  });
}

/// Head of a page, up to its body: only the page's own script may run.
void write_head(HtmlWriter& html, const std::string& title) {
  html.trusted("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  // If markup of an archive reached the page, it still could not run or load anything.
  html.open("meta", {{"http-equiv", "Content-Security-Policy"},
                     {"content", fmt::format("default-src 'none'; script-src {} {}; style-src {}; "
                                             "base-uri 'none'; form-action 'none'",
                                             hash_source(opening_script()), hash_source(script()),
                                             hash_source(style_sheet()))}});
  html.trusted("\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  html.trusted("<meta name=\"color-scheme\" content=\"light dark\">\n");
  html.element("title", title);
  html.trusted("\n<style>");
  html.trusted(style_sheet());
  html.trusted("</style>\n<script>");
  html.trusted(opening_script());
  html.trusted("</script>\n</head>\n");
}

/// The report in an element for the script. Within it, only `<` could end the element or begin a
/// comment.
void write_json(HtmlWriter& html, const Report& report, std::string_view id) {
  html.open("script", {{"type", "application/json"}, {"id", id}});
  support::get_or_throw(write_report_json(report, JsonLayout::compact, [&](std::string_view bytes) {
    for (std::size_t at = bytes.find('<'); at != bytes.npos; at = bytes.find('<')) {
      html.trusted(bytes.substr(0, at));
      html.trusted("\\u003c");
      bytes.remove_prefix(at + 1);
    }
    html.trusted(bytes);
  }));
  html.trusted("</script>\n");
}

/// What a reader needs to make the page again: the command, and digests of what it read.
void write_sources(HtmlWriter& html, const std::vector<const PageData*>& builds) {
  html.open("section", {{"aria-label", "Sources"}});
  html.element("h2", {{"id", "sources"}}, "Sources");
  html.element("p", {{"class", "symbol"}}, builds.front()->command);
  for (const PageData* build : builds) {
    const auto& [archive, version, members, files] = build->origin;
    std::vector<std::vector<std::string>> rows;
    const auto add = [&](const std::string& name, const std::string& sha256) {
      if (!sha256.empty()) rows.push_back({name, sha256});
    };
    add(fmt::format("{}, Model Library Format {}", archive.name, version), archive.sha256);
    for (const auto* list : {&members, &files}) {
      for (const auto& [name, sha256] : *list) add(name, sha256);
    }
    write_table(html, build->title, "needs sources", {"File", "SHA-256"}, rows);
  }
  html.close("section");
}

/// Everything but the head and the script.
void write_body(HtmlWriter& html, const PageFrame& frame) {
  html.trusted("<body>\n");
  html.open("header");
  html.element("h1", frame.heading);
  html.open("nav", {{"aria-label", "Parts of this page"}});
  html.open("ul");
  frame.write_links(html);
  html.open("li");
  link_to(html, "sources", "Sources");
  html.close("li");
  html.close("ul");
  html.close("nav");
  html.close("header");
  html.trusted("\n<main>\n");
  frame.write_sections(html);
  write_sources(html, frame.builds);
  html.trusted("</main>\n");
  html.element("footer", fmt::format("mlf {}", version()));
  html.trusted("\n");
  for (const auto& [id, report] : frame.reports) {
    html.begin_part("The report as JSON");
    write_json(html, *report, id);
    html.end_part();
  }
}

/// Pages whose parts have more bytes are large.
constexpr std::size_t kMostPlainBytes = 512 * 1024;

/// A gzip file without time and name.
std::string gzip_of(std::string_view text) {
  constexpr int kGzipHeader = 16;
  constexpr int kMostMemory = 9;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipHeader, kMostMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, deflateEnd);
  std::string file(deflateBound(&stream, text.size()), '\0');
  // zlib takes a pointer to mutable bytes, but only reads them.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(file.data());
  stream.avail_out = static_cast<uInt>(file.size());
  deflate(&stream, Z_FINISH);
  file.resize(stream.total_out);
  return file;
}

/// Writes `markup`, with its parts as they are unless they are large together. Otherwise each part
/// is a `p` with the attribute `data-part` that names its subject, and the element `packed` at the
/// end has all of them: base64 of gzip of their markup in the same order, each with a NUL behind
/// it. Equal pages are equal bytes.
void write_with_parts(const Sink& sink, std::string_view markup, std::span<const PagePart> parts) {
  std::string whole;
  for (const PagePart& part : parts) {
    whole += markup.substr(part.begin, part.end - part.begin);
    whole += '\0';
  }
  // zlib counts in 32 bits.
  if (whole.size() <= kMostPlainBytes + parts.size() || whole.size() > INT32_MAX) {
    return sink(markup);
  }
  HtmlWriter html(sink);
  std::size_t at = 0;
  for (const PagePart& part : parts) {
    html.trusted(markup.substr(at, part.begin - at));
    html.element("p", {{"class", "note"}, {"data-part", ""}},
                 fmt::format("{}: compressed, for the script of this page.", part.subject));
    at = part.end;
  }
  html.trusted(markup.substr(at));
  html.open("script", {{"type", "application/gzip"}, {"id", "packed"}});
  const std::string file = gzip_of(whole);
  std::string text;
  support::append_base64(text, std::as_bytes(std::span(file)));
  html.trusted(text);
  html.close("script");
  html.trusted("\n");
  html.flush();
}

}  // namespace

void write_section(HtmlWriter& html, std::size_t position, std::string_view module,
                   const std::function<void()>& write_parts) {
  const std::string heading = fmt::format("Module {}", module);
  html.open("section", {{"id", section_id(position, "overview")},
                        {"class", "module"},
                        {"data-module", std::to_string(position)},
                        {"aria-label", heading}});
  html.element("h2", heading);
  write_parts();
  html.close("section");
  html.trusted("\n");
}

void write_frame(const Sink& sink, const PageFrame& frame) {
  HtmlWriter html(sink);
  write_head(html, frame.title);
  html.flush();
  std::string body;
  const Sink to_body = [&](std::string_view markup) { body += markup; };
  HtmlWriter parts(to_body);
  write_body(parts, frame);
  parts.flush();
  write_with_parts(sink, body, parts.parts());
  html.trusted("<script>");
  html.trusted(script());
  html.trusted("</script>\n</body>\n</html>\n");
  html.flush();
}

}  // namespace page

void write_page(const Report& report, const PageData& data, const Sink& sink) {
  std::vector<page::ModuleView> modules;
  for (std::size_t i = 0; i < report.modules.size(); ++i) {
    modules.push_back({i, report.modules[i], data.modules[i]});
  }
  const auto for_each = [&](void (*write)(page::HtmlWriter&, const page::ModuleView&)) {
    return [&modules, write](page::HtmlWriter& html) {
      for (const page::ModuleView& module : modules) write(html, module);
    };
  };
  page::write_frame(sink, {.title = data.title + " - mlf report",
                           .heading = data.title,
                           .write_links = for_each(page::write_links_of),
                           .write_sections = for_each(page::write_module),
                           .builds = {&data},
                           .reports = {{"report", &report}}});
}

}  // namespace mlf
