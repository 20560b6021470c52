# Writes assets.cpp of a bundle: cmake -DBUNDLE=DIRECTORY -DOUTPUT=FILE -P assets.cmake
foreach(name IN ITEMS page.css begin.js page.js)
  file(READ ${BUNDLE}/${name} text)
  # Adjacent literals: compilers may refuse one of more than 65,536 characters.
  string(LENGTH "${text}" length)
  set(literals "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 part)
    string(APPEND literals "R\"page(${part})page\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  string(MAKE_C_IDENTIFIER ${name} variable)
  set(${variable} "${literals}")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "page/assets.h"

namespace mlf::page {

std::string_view style_sheet() {
  return @page_css@;
}

std::string_view opening_script() {
  return @begin_js@;
}

std::string_view script() {
  return @page_js@;
}

}  // namespace mlf::page
]])
