#include "page/html.h"

#include <gtest/gtest.h>

namespace mlf::page {
namespace {

std::string written(const std::function<void(HtmlWriter&)>& write) {
  std::string text;
  const Sink sink = [&](std::string_view bytes) { text += bytes; };
  HtmlWriter html(sink);
  write(html);
  html.flush();
  return text;
}

TEST(PageHtml, TextIsNoMarkup) {
  EXPECT_EQ(escaped("<b a=\"1\" c='2'>&amp;"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
  EXPECT_EQ(escaped("naïve 🎉"), "naïve 🎉");
}

TEST(PageHtml, ControlCharactersAreEscaped) {
  EXPECT_EQ(escaped("a\n\tb"), "a\n\tb");
  EXPECT_EQ(escaped("\x1b[31m"), "\\u001b[31m");
  EXPECT_EQ(escaped("a\u202Eb"), "a\\u202eb");
  EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\u0000");
  EXPECT_EQ(escaped("\xff"), "\uFFFD");
}

TEST(PageHtml, FragmentsArePercentEncoded) {
  EXPECT_EQ(fragment("2/call=3"), "2/call=3");
  EXPECT_EQ(fragment("kernel=a b\"#%"), "kernel=a%20b%22%23%25");
}

TEST(PageHtml, LongNamesBreakBehindUnderscoresAndSlashes) {
  const auto breakable = [](std::string_view name) {
    return written([&](HtmlWriter& html) { html.breakable(name); });
  };
  EXPECT_EQ(breakable("nn_softmax 'a' <b>"), "nn_softmax &#39;a&#39; &lt;b&gt;");
  EXPECT_EQ(breakable("of nn_conv2d_add_clip_cast_subtract_1"),
            "of nn_conv2d_<wbr>add_clip_cast_subtract_1");
  EXPECT_EQ(breakable("functional_1/activation/Relu"), "functional_1/<wbr>activation/Relu");
  EXPECT_EQ(breakable("abcdefghijklmnopqrstuvwxyz_"), "abcdefghijklmnopqrstuvwxyz_");
}

TEST(PageHtml, AttributesAreQuotedWhereTheyHaveToBeAndMayBeLeftOut) {
  const std::string text = written([](HtmlWriter& html) {
    html.element("td", {{"class", "a\"b"}, {"", "nothing"}}, "<");
    html.open("p", {{"class", "n"}, {"data-s", "1.5"}, {"title", ""}, {"id", "a=b"}});
    html.text("x");
    html.close("p");
  });
  EXPECT_EQ(text,
            "<td class=\"a&quot;b\">&lt;<p class=n data-s=1.5 title=\"\" id=\"a=b\">x</p>");
}

}  // namespace
}  // namespace mlf::page
