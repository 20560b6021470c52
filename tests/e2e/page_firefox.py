"""The page of mlf report --html in Debian's Firefox: what page.py asks of Chromium, for what browsers
do in different ways."""

import shutil
import time
import unittest

import support

try:
    from marionette_driver import By, keys, marionette
except ImportError as error:
    support.skip(f"the Python package {error.name} is not installed")

FIREFOX = shutil.which("firefox-esr")
if not FIREFOX:
    support.skip("firefox-esr is not installed")

AXE = support.SOURCE / "build" / "page" / "node_modules" / "axe-core" / "axe.min.js"
BUNDLED = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
PLACES = ["tvm-0.16/aww-aot-c-usmp", "tvm-0.18/resnet8-graph", "tvm-0.18/cmsis-nn"]
ARCHIVES = [BUNDLED, *(path for place in PLACES
                       if (path := support.CORPUS / place / "module.tar").exists())]


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = support.directory_of(cls)
        cls.firefox = marionette.Marionette(bin=FIREFOX, headless=True, port=0, gecko_log=str(cls.directory / "log"),
                                            startup_timeout=120)
        cls.firefox.start_session()
        cls.addClassCleanup(cls.end)
        cls.firefox.timeout.script = 300

    @classmethod
    def end(cls):
        cls.firefox.quit()
        # It cleans up when it is forgotten, and at the end of Python that is too late.
        del cls.firefox

    def open(self, archive, fragment=""):
        path = self.directory / "page.html"
        support.run_ok("report", archive, "--html", path)
        self.firefox.navigate("about:blank")
        self.firefox.navigate(path.as_uri() + fragment)
        self.wait_for(lambda: self.run_script("return !document.getElementById('packed')"))
        (module, *_) = support.json_of("report", "--json", archive)["modules"]
        return module

    def run_script(self, script, *arguments):
        return self.firefox.execute_script(script, script_args=arguments, sandbox=None)

    def find(self, selector):
        return self.firefox.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return self.run_script(
            "return Array.from(document.querySelectorAll(arguments[0]), e => e.textContent)", selector)

    def column(self, nth):
        """The cells of a column of the table of calls, as far as they are shown."""
        return self.run_script("""
            return Array.from(document.querySelectorAll('.calls tbody tr'))
              .filter(row => !row.hidden).map(row => row.cells[arguments[0]].textContent)""", nth)

    def wait_for(self, condition):
        end = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_it_asks_for_nothing_and_shows_the_calls(self):
        for archive in ARCHIVES:
            with self.subTest(archive):
                module = self.open(archive)
                self.assertEqual(
                    self.run_script("return performance.getEntriesByType('resource').length"), 0)
                self.assertEqual(self.column(0), [str(i) for i in range(len(module["calls"]))])
                self.assertLessEqual(
                    self.run_script("return document.documentElement.scrollWidth - innerWidth"), 0)

    def test_calls_are_sorted_and_filtered(self):
        module = self.open(BUNDLED)
        heads = [text.strip() for text in self.texts(".calls thead th")]
        self.run_script("document.querySelectorAll('.calls thead button')[arguments[0]].click()",
                        heads.index("MAC"))
        macs = [int(text.replace(",", "")) for text in self.column(heads.index("MAC"))]
        self.assertEqual(macs, sorted((call["mac"] for call in module["calls"]), reverse=True))
        self.find("#calls + .tools input").send_keys("no such call")
        self.assertEqual(self.column(0), [])

    def test_links_lead_into_every_place(self):
        module = self.open(BUNDLED, "#call=2")
        focus = "return document.activeElement.closest('[id]')?.id"
        self.wait_for(lambda: self.run_script(focus) == "call=2")
        symbol = module["kernels"][1]["symbol"]
        self.run_script("location.hash = arguments[0]", f"#kernel={symbol}")
        self.wait_for(lambda: self.texts("details.target[open] .code"))
        self.assertIn(f"int32_t {symbol}(", self.texts("details.target[open] .code")[1])

    def test_a_step_of_the_map_is_chosen_with_the_keyboard(self):
        for archive in ARCHIVES:
            module = self.open(archive)
            if module["peak"]["call"] is None or not self.texts("figure.map input"):
                continue
            with self.subTest(archive):
                slider = self.find("figure.map input")
                slider.send_keys(keys.Keys.HOME)
                before = self.texts("figure.map .readout")[0]
                slider.send_keys(keys.Keys.ARROW_RIGHT)
                self.assertNotEqual(self.texts("figure.map .readout")[0], before)

    def drawing(self):
        """Scroll position and width of the drawing that is shown."""
        return self.run_script("""
            const frame = document.querySelector('.network:not([hidden])');
            return [frame.scrollLeft, frame.scrollTop,
                    frame.querySelector('svg').getBoundingClientRect().width]""")

    def test_the_network_is_searched_zoomed_folded_and_leads_to_calls(self):
        for archive in ARCHIVES:
            module = self.open(archive)
            if not self.texts(".network svg"):
                self.skipTest("built without Graphviz")
            with self.subTest(archive):
                self.find("#network + .tools [type=search]").send_keys("call 0")
                # "10" has the word "0" as well.
                (status,) = self.texts("#network + .tools [role=status]")
                self.assertRegex(status, rf"^[1-9]\d* of {len(module['calls'])}$")
                width = self.drawing()[2]
                self.find(".network:not([hidden])").send_keys("+++")
                self.assertAlmostEqual(self.drawing()[2], width * 1.2**3, delta=1)
                for checkbox in self.firefox.find_elements(
                        By.CSS_SELECTOR, "#network + .tools [type=checkbox]"):
                    checkbox.send_keys(" ")
                links = self.firefox.find_elements(
                    By.CSS_SELECTOR, ".network:not([hidden]) [role=link]")
                self.assertLessEqual(len(links), len(module["calls"]))
                links[0].send_keys(keys.Keys.ENTER)
                self.assertEqual(self.run_script("return location.hash"), "#call=0")

    def test_the_network_moves_with_the_mouse(self):
        self.open(BUNDLED)
        if not self.texts(".network svg"):
            self.skipTest("built without Graphviz")
        frame = self.find(".network")
        frame.send_keys("+++++++++")
        self.run_script("document.querySelector('.network').scrollTo(0, 50)")
        location = self.run_script("return location.hash")
        self.run_script("document.querySelector('.network').scrollIntoView()")
        x, y = self.run_script("""
            const box = document.querySelector('.network').getBoundingClientRect();
            return [Math.round(box.left + 30), Math.round(box.top + 60)]""")
        actions = self.firefox.actions.sequence("pointer", "mouse", {"pointerType": "mouse"})
        actions.pointer_move(x, y).pointer_down(button=0).pointer_move(x, y - 40, duration=50)
        actions.pointer_up(button=0).perform()
        self.assertAlmostEqual(self.drawing()[1], 90, delta=1)
        self.assertEqual(self.run_script("return location.hash"), location)

    def test_axe_finds_no_violation(self):
        if not AXE.exists():
            self.skipTest("no build/page (tests/run --all makes it where there is npm)")
        for archive in ARCHIVES:
            with self.subTest(archive):
                self.open(archive)
                self.run_script("for (const e of document.querySelectorAll('details')) e.open = true")
                self.run_script(AXE.read_text())
                found = self.firefox.execute_async_script("""
                    const done = arguments[arguments.length - 1];
                    axe.run({resultTypes: ['violations']}).then(r => done(r.violations.map(
                      v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))])))""",
                    sandbox=None)
                self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
