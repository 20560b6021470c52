"""The code of kernels on the page of mlf report --html: TIR and C beside each other."""

import re
import unittest

import support
from page_case import ARCHIVES, BUNDLED, Browser
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


class PageKernels(Browser):
    def code(self, nth):
        """The text of both codes of a kernel, without what the page says of cut lines."""
        return self.run_script("""
            const kernel = document.querySelectorAll('details.kernel')[arguments[0]];
            return Array.from(kernel.querySelectorAll('.code'), code => {
              const lines = Array.from(code.querySelectorAll('pre span'), e => e.textContent);
              return [code.querySelector('h4').textContent, lines.join('')];
            })""", nth)

    def test_code_of_kernels_is_that_of_show(self):
        for archive in (path for path in ARCHIVES if "-op-" not in str(path)):
            with self.subTest(archive):
                module = self.open(archive)["modules"][0]
                for nth, kernel in enumerate(module["kernels"]):
                    (title, script), (_, c) = self.code(nth)
                    if kernel["c"]:
                        shown = support.run_ok("show", archive, kernel["symbol"], "--format", "c",
                                               "--module", module["name"]).stdout.decode()
                        self.assertEqual(c, shown)
                    if kernel["source"]:
                        self.assertEqual(title, "TVMScript")
                        self.assertRegex(script, r"^@T\.prim_func")
                        self.assertEqual(script.count("@T.prim_func"), 1)

    def test_the_loop_nest_is_that_of_show(self):
        for archive in (path for path in ARCHIVES if "-op-" not in str(path)):
            module = self.open(archive)["modules"][0]
            nests = self.run_script("""
                return Array.from(document.querySelectorAll('section[data-module="0"] .nest'), table =>
                  Array.from(table.tBodies[0].rows, row => row.cells[0].textContent))""")
            for kernel in module["kernels"]:
                if not kernel["source"]:
                    continue
                with self.subTest(archive, kernel=kernel["symbol"]):
                    shown = support.run_ok("show", archive, kernel["symbol"], "--module",
                                           module["name"]).stdout.decode()
                    code = shown.split("\n\n")[1].splitlines()
                    costs = [re.sub(r" +# .*", "", line) for line in code if "  # " in line]
                    self.assertEqual(nests.pop(0) if costs else [], costs)
            self.assertEqual(nests, [])

    def matching_lines(self):
        """For each kernel with both codes: the lines of C and of TIR that are one statement."""
        return self.run_script("""
            return Array.from(document.querySelectorAll('details.kernel'), kernel => {
              const [tir, c] = kernel.querySelectorAll('.code');
              if (!tir.querySelector('pre') || !c.querySelector('pre')) return null;
              const lines = Array.from(c.querySelectorAll('[data-s]'), line => [line.textContent,
                tir.querySelector(`[data-s="${line.dataset.s}"]`).textContent]);
              return {lines, statements: c.querySelectorAll('pre span').length};
            }).filter(kernel => kernel !== null)""")

    # TVM's words for one statement in both: what a loop runs to, what a store stores to.
    def test_lines_of_both_codes_that_are_one_statement_are_matched(self):
        kernels = matched = 0
        for archive in ARCHIVES:
            self.open(archive)
            for kernel in self.matching_lines():
                kernels += 1
                matched += bool(kernel["lines"])
                for c, tir in kernel["lines"]:
                    with self.subTest(archive, c=c, tir=tir):
                        self.assert_is_one_statement(c.strip(), tir.strip())
        self.assertGreater(matched, 0.9 * kernels)

    def assert_is_one_statement(self, c, tir):
        if c.startswith("for ("):
            self.assertRegex(tir, r"^(for .* in |with T\.)")
            extent = re.search(r"< (\d+);", c)
            if extent:
                self.assertIn(extent[1], re.findall(r"\d+", tir))
        elif c.startswith("if ("):
            self.assertRegex(tir, r"^if ")
        else:
            self.assertRegex(c, r"\] = |\) = |;$")
            self.assertRegex(tir, r"\] = |T\.store|T\.evaluate|T\.buffer_store")

    def test_pointing_at_a_statement_marks_it_in_the_other_code(self):
        self.open(BUNDLED)
        kernel = next(one for one in self.driver.find_elements(By.CSS_SELECTOR, "details.kernel")
                      if one.find_elements(By.CSS_SELECTOR, "[data-s]"))
        kernel.find_element(By.CSS_SELECTOR, "summary").click()
        line = kernel.find_elements(By.CSS_SELECTOR, ".code:last-child [data-s]")[0]
        statement = line.get_attribute("data-s")
        line.click()
        marked = kernel.find_elements(By.CSS_SELECTOR, ".matching")
        self.assertEqual({one.get_attribute("data-s") for one in marked}, {statement})
        self.assertEqual(len({one.find_element(By.XPATH, "..").id for one in marked}), 2)
        # With the keyboard: from one statement to the next, and back.
        box = line.find_element(By.XPATH, "..")
        statements = [one.get_attribute("data-s")
                      for one in box.find_elements(By.CSS_SELECTOR, "[data-s]")]
        box.send_keys(Keys.ALT, Keys.ARROW_DOWN)
        marked = kernel.find_elements(By.CSS_SELECTOR, ".matching")
        self.assertEqual({one.get_attribute("data-s") for one in marked}, {statements[1]})


if __name__ == "__main__":
    unittest.main()
