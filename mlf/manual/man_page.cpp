// Writes manual pages in the macros of man(7).
#include <fmt/core.h>

#include <algorithm>

#include "manual/manual.h"
#include "mlf/formats.h"

namespace mlf::program {
namespace {

/// Text for roff: hyphens can be copied into a shell, and no text becomes a macro.
std::string roff(const std::string& text) {
  std::string out;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    begins_line = c == '\n';
  }
  return out;
}

/// Of the page, whose name is that of the program or `mlf-COMMAND`.
std::string head(const std::string& page, const CLI::App& app) {
  // A date would make builds differ.
  return fmt::format(".TH {} 1 \"\" \"mlf {}\" \"mlf manual\"\n.SH NAME\n{} \\- {}\n", roff(page),
                     version(), roff(page), roff(first_clause(app.get_description())));
}

/// The text of an option, with a line of its own for each choice that has a meaning.
std::string help_of(const std::string& help) {
  const std::size_t end = std::min(help.find('\n'), help.size());
  std::string out = roff(help.substr(0, end)) + (end == help.size() ? ".\n" : "\n");
  for (std::size_t begin = end + 1; begin < help.size();) {
    const std::size_t stop = std::min(help.find('\n', begin), help.size());
    const std::size_t gap = help.find("  ", begin);
    out += fmt::format(".br\n\\fB{}\\fR: {}\n", roff(help.substr(begin, gap - begin)),
                       roff(help.substr(gap + 2, stop - gap - 2)));
    begin = stop + 1;
  }
  return out;
}

/// In bold letters, with commas between them.
std::string bold(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", roff(word));
  }
  return text;
}

void append(std::string& out, const CLI::Option& option) {
  const std::string& help = option.get_description();
  const std::string value = value_of(option);
  out += fmt::format(".TP\n{}{}\n{}", bold(names_of_option(option)),
                     value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(value)), help_of(help));
  const std::vector<std::string> choices = choices_of(option);
  if (choices.empty() || help.find('\n') != help.npos) return;
  out += fmt::format("One of {}.\n", bold(choices));
}

void append(std::string& out, const char* title, const Options& options) {
  if (options.empty()) return;
  out += fmt::format(".SH {}\n", title);
  for (const CLI::Option* option : options) append(out, *option);
}

/// Lines that are not filled.
std::string lines(const std::string& text) {
  return fmt::format(".nf\n{}\n.fi\n", roff(text));
}

std::string end_of_page(const CLI::App& command) {
  const CommandNotes notes = notes_of(command.get_name());
  std::string out;
  if (!command.get_footer().empty()) out += ".SH NOTES\n" + lines(command.get_footer());
  if (notes.details != nullptr) out += ".SH DETAILS\n" + lines(notes.details());
  if (!notes.examples.empty()) out += ".SH EXAMPLES\n";
  for (const Example& example : notes.examples) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", roff(std::string(example.command)),
                       roff(std::string(example.effect)));
  }
  out += fmt::format(".SH EXIT STATUS\n{}.\n.SH SEE ALSO\n", roff(exit_codes_of(command)));
  std::string pages = command.get_parent() == nullptr ? "" : "\\fBmlf\\fR(1)";
  for (const std::string_view one : notes.see_also) {
    if (!pages.empty()) pages += ", ";
    const bool is_command = one.starts_with("mlf ");
    pages +=
        is_command ? fmt::format("\\fBmlf\\-{}\\fR(1)", one.substr(4)) : roff(std::string(one));
  }
  return out + pages + '\n';
}

std::string page_of_program(const CLI::App& program) {
  std::string out = head("mlf", program);
  out += ".SH SYNOPSIS\n\\fBmlf\\fR [\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]\n";
  out += fmt::format(".SH DESCRIPTION\n{}\n.SH COMMANDS\n", roff(program.get_description() + '.'));
  for (const CLI::App* command : commands_of(program)) {
    const std::string name = roff(command->get_name());
    out += fmt::format(".TP\n\\fB{}\\fR\n{}. See \\fBmlf\\-{}\\fR(1).\n", name,
                       roff(first_clause(command->get_description())), name);
  }
  append(out, "OPTIONS", options_of(program));
  return out + end_of_page(program);
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  if (app.get_parent() == nullptr) return page_of_program(app);
  std::string out = head("mlf-" + app.get_name(), app);
  out += fmt::format(".SH SYNOPSIS\n\\fBmlf {}\\fR [\\fIoptions\\fR]", roff(app.get_name()));
  for (const CLI::Option* positional : positionals_of(app)) {
    out += fmt::format(" \\fI{}\\fR", roff(usage_of(*positional)));
  }
  out += fmt::format("\n.SH DESCRIPTION\n{}.\n", roff(app.get_description()));
  append(out, "ARGUMENTS", positionals_of(app));
  append(out, "OPTIONS", options_of(app));
  return out + end_of_page(app);
}

}  // namespace mlf::program
