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

std::string head(const std::string& page, const std::string& help) {
  // A date would make builds differ.
  return fmt::format(".TH {} 1 \"\" \"mlf {}\" \"mlf manual\"\n.SH NAME\n{} \\- {}\n", roff(page),
                     version(), roff(page), roff(first_clause(help)));
}

/// The text of an option, with a line of its own for each choice that has a meaning.
std::string help_of(const OptionText& option) {
  const std::size_t end = std::min(option.help.find('\n'), option.help.size());
  std::string out = roff(option.help.substr(0, end)) + (end == option.help.size() ? ".\n" : "\n");
  for (std::size_t begin = end + 1; begin < option.help.size();) {
    const std::size_t stop = std::min(option.help.find('\n', begin), option.help.size());
    const std::size_t gap = option.help.find("  ", begin);
    out += fmt::format(".br\n\\fB{}\\fR: {}\n", roff(option.help.substr(begin, gap - begin)),
                       roff(option.help.substr(gap + 2, stop - gap - 2)));
    begin = stop + 1;
  }
  return out;
}

void append(std::string& out, const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  if (option.takes_value()) names += fmt::format(" \\fI{}\\fR", roff(option.value));
  out += fmt::format(".TP\n{}\n{}", names, help_of(option));
  if (option.choices.empty() || option.help.find('\n') != option.help.npos) return;
  std::string choices;
  for (const std::string& choice : option.choices) {
    choices += fmt::format("{}\\fB{}\\fR", choices.empty() ? "" : ", ", roff(choice));
  }
  out += fmt::format("One of {}.\n", choices);
}

void append(std::string& out, const char* title, const std::vector<OptionText>& options) {
  if (options.empty()) return;
  out += fmt::format(".SH {}\n", title);
  for (const OptionText& option : options) append(out, option);
}

/// Lines that are not filled.
std::string lines(const std::string& text) {
  return fmt::format(".nf\n{}\n.fi\n", roff(text));
}

std::string end_of_page(const CommandText& command) {
  const CommandNotes& notes = command.notes;
  std::string out;
  if (!command.footer.empty()) out += ".SH NOTES\n" + lines(command.footer);
  if (notes.details != nullptr) out += ".SH DETAILS\n" + lines(notes.details());
  if (!notes.examples.empty()) out += ".SH EXAMPLES\n";
  for (const Example& example : notes.examples) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", roff(std::string(example.command)),
                       roff(std::string(example.effect)));
  }
  out += fmt::format(".SH EXIT STATUS\n{}.\n.SH SEE ALSO\n", roff(exit_codes_of(command)));
  std::string pages = command.name == "mlf" ? "" : "\\fBmlf\\fR(1)";
  for (const std::string_view one : notes.see_also) {
    if (!pages.empty()) pages += ", ";
    const bool is_command = one.starts_with("mlf ");
    pages +=
        is_command ? fmt::format("\\fBmlf\\-{}\\fR(1)", one.substr(4)) : roff(std::string(one));
  }
  return out + pages + '\n';
}

}  // namespace

std::string manual_page(const ProgramText& text) {
  std::string out = head("mlf", text.program.help);
  out += ".SH SYNOPSIS\n\\fBmlf\\fR [\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]\n";
  out += fmt::format(".SH DESCRIPTION\n{}\n.SH COMMANDS\n", roff(text.program.help + '.'));
  for (const CommandText& command : text.commands) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}. See \\fBmlf\\-{}\\fR(1).\n", roff(command.name),
                       roff(first_clause(command.help)), roff(command.name));
  }
  append(out, "OPTIONS", text.program.options);
  return out + end_of_page(text.program);
}

std::string manual_page(const CommandText& command) {
  std::string out = head("mlf-" + command.name, command.help);
  out += fmt::format(".SH SYNOPSIS\n\\fBmlf {}\\fR [\\fIoptions\\fR]", roff(command.name));
  for (const OptionText& positional : command.positionals) {
    out += fmt::format(" \\fI{}\\fR", roff(positional.usage));
  }
  out += fmt::format("\n.SH DESCRIPTION\n{}.\n", roff(command.help));
  append(out, "ARGUMENTS", command.positionals);
  append(out, "OPTIONS", command.options);
  return out + end_of_page(command);
}

}  // namespace mlf::program
