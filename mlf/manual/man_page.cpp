// Manual pages in the macros of man(7).
#include <fmt/core.h>

#include "manual/manual.h"
#include "mlf/version.h"

namespace mlf::program {
namespace {

/// Text for roff: a hyphen that may be copied into a shell, no macro by accident.
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
  // A date would differ from build to build.
  return fmt::format(".TH {} 1 \"\" \"mlf {}\" \"mlf manual\"\n.SH NAME\n{} \\- {}\n", roff(page),
                     version(), roff(page), roff(first_clause(help)));
}

void append(std::string& out, const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  if (option.takes_value()) names += fmt::format(" \\fI{}\\fR", roff(option.value));
  out += fmt::format(".TP\n{}\n{}.\n", names, roff(option.help));
  std::string choices;
  for (const std::string& choice : option.choices) {
    choices += fmt::format("{}\\fB{}\\fR", choices.empty() ? "" : ", ", roff(choice));
  }
  if (!choices.empty()) out += fmt::format("One of {}.\n", choices);
  if (!option.initial.empty()) out += fmt::format("Default: {}.\n", roff(option.initial));
}

void append(std::string& out, const char* title, const std::vector<OptionText>& options) {
  if (options.empty()) return;
  out += fmt::format(".SH {}\n", title);
  for (const OptionText& option : options) append(out, option);
}

/// Footers are lines as they are to be.
std::string notes(const CommandText& command) {
  return fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff(command.footer));
}

}  // namespace

std::string manual_page(const ProgramText& text) {
  std::string out = head("mlf", text.program.help);
  out += ".SH SYNOPSIS\n\\fBmlf\\fR [\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]\n";
  out += fmt::format(".SH DESCRIPTION\n{}\n.SH COMMANDS\n", roff(text.program.help));
  for (const CommandText& command : text.commands) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}. See \\fBmlf\\-{}\\fR(1).\n", roff(command.name),
                       roff(first_clause(command.help)), roff(command.name));
  }
  append(out, "OPTIONS", text.program.options);
  return out + notes(text.program);
}

std::string manual_page(const CommandText& command) {
  std::string out = head("mlf-" + command.name, command.help);
  out += fmt::format(".SH SYNOPSIS\n\\fBmlf {}\\fR [\\fIoptions\\fR]", roff(command.name));
  for (const OptionText& positional : command.positionals) {
    out += fmt::format(" \\fI{}\\fR", roff(positional.names.front()));
  }
  out += fmt::format("\n.SH DESCRIPTION\n{}.\n", roff(command.help));
  append(out, "ARGUMENTS", command.positionals);
  append(out, "OPTIONS", command.options);
  out += notes(command);
  return out + ".SH SEE ALSO\n\\fBmlf\\fR(1)\n";
}

}  // namespace mlf::program
