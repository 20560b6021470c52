"""Large pages of mlf report --html, whose parts are compressed: with their script, and without it."""

import unittest

from page_case import BUNDLED, Browser, Text, parts_of, unpacked
from selenium.webdriver.support.ui import WebDriverWait

FEW, MANY = 250, 400  # kernels; more than 300 are made when they are opened


class LargePage(Browser):
    def test_only_large_pages_are_compressed(self):
        chain = self.chain(FEW)
        small, large = (self.make(path).read_text() for path in (BUNDLED, chain))
        self.assertEqual(parts_of(small), [])
        parts = parts_of(large)
        self.assertGreater(sum(map(len, parts)), 512 * 1024)
        self.assertLess(len(large), sum(map(len, parts)) / 2)

    def test_without_a_script_the_rest_is_there_and_parts_are_named(self):
        page = Text(self.make(self.chain(FEW)).read_text())
        text = "".join(page.parts)
        self.assertEqual(text.count("Costs and code: compressed, for the script of this page."), FEW)
        self.assertNotIn("@T.prim_func", text)
        for i in range(FEW):
            self.assertIn(f"kernel=tvmgen_default_add_{i}", page.ids)
            self.assertIn(f"call={i}", page.ids)
        self.assertIn("figure", page.tags)

    def test_the_script_shows_every_part_in_its_place(self):
        path = self.chain(FEW)
        self.open(path, "#kernel=tvmgen_default_add_7")
        self.assertEqual(self.texts("[data-part]"), [])
        scripts = self.texts("details.kernel > .codes > .code:first-child pre")
        self.assertEqual(len(scripts), FEW)
        for i, script in enumerate(scripts):
            self.assertIn(f"def tvmgen_default_add_{i}(", script)
        WebDriverWait(self.driver, 10).until(lambda _: self.texts("details.target[open] pre"))
        self.assertEqual(self.driver.get_log("browser"), [])

    def test_drawings_that_were_compressed_can_be_searched_and_coloured(self):
        self.open(self.chain(FEW), "#call=3")
        if "svg" not in Text(unpacked(self.make(self.chain(3)).read_text())).tags:
            self.skipTest("built without Graphviz")
        self.assertEqual(len(self.texts("#network + .tools select")), 1)
        shown = ".network:not([hidden]) .node"
        self.assertEqual(len(self.texts(shown + ".current")), 1)
        self.assertGreater(len(self.texts(shown + "[data-paint]")), 0)

    # Of so many a browser makes elements when they are opened.
    def test_kernels_of_a_large_network_are_there_when_they_are_opened(self):
        path = self.chain(MANY)
        self.open(path, "#kernel=tvmgen_default_add_7")
        WebDriverWait(self.driver, 10).until(lambda _: self.texts("details.kernel[open] pre"))
        (script,) = self.texts("details.kernel[open] pre")
        self.assertIn("def tvmgen_default_add_7(", script)
        self.assertEqual(self.texts("details.kernel[open] .buffers tbody td:first-child"), ["p0", "T_add"])
        self.assertEqual(len(self.texts("details.kernel pre")), 1)
        self.run_script("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(len(self.texts("details.kernel pre")), MANY)

    # As in browsers before 2023.
    def test_a_browser_that_cannot_decompress_shows_the_rest(self):
        path = self.make(self.chain(FEW))
        without = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument",
                                              {"source": "delete globalThis.DecompressionStream"})
        self.addCleanup(self.driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", without)
        self.driver.get("about:blank")
        self.driver.get(path.as_uri())
        WebDriverWait(self.driver, 10).until(lambda _: self.texts(".calls thead button"))
        self.assertEqual(len(self.rows(".calls")), FEW)
        self.assertTrue(all("compressed" in text for text in self.texts("details.kernel > .note")))


if __name__ == "__main__":
    unittest.main()
