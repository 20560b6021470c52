"""The page of mlf report --html, in a headless browser, and without one."""

import json
import re
import unittest
import urllib.parse

import support
from page_case import ARCHIVES, AXE, BUNDLED, Browser, Text, spelled
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&\u202e--><svg onload=alert(2)>"
CALL_COUNTS = {5: "mac", 6: "parameters", 7: "scratch", 8: "live", 9: "loaded", 10: "stored"}


def value_at(module, path):
    for key in path.split("."):
        module = module[key]
    return module


class Page(Browser):
    # --- without a script ----------------------------------------------------------------------

    def test_everything_is_there_without_a_script(self):
        for archive in ARCHIVES:
            with self.subTest(archive):
                report = json.loads(support.run_ok("report", "--json", archive).stdout)
                page = Text(self.make(archive).read_text())
                text = "".join(page.parts)
                self.assertEqual(len(page.ids), len(set(page.ids)))
                for module in report["modules"]:
                    self.assertIn(module["name"], text)
                    self.assertIn(spelled(module["mac"]), text)
                    for finding in module["findings"]:
                        self.assertIn(finding["evidence"], text)
                    for kernel in module["kernels"]:
                        self.assertIn(kernel["symbol"], text)
                for link in page.links:
                    self.assertEqual(link[:1], "#", "a link out of the page")
                    self.assertIn(urllib.parse.unquote(link[1:]), page.ids)

    def test_the_page_has_the_report(self):
        for archive in ARCHIVES:
            source = self.make(archive).read_text()
            text = re.search(r'<script type="application/json" id="report">(.*?)</script>', source,
                             re.DOTALL)[1]
            self.assertEqual(json.loads(text),
                             json.loads(support.run_ok("report", "--json", archive).stdout))

    def test_standard_output_is_a_file_as_well(self):
        self.assertEqual(support.run_ok("report", BUNDLED, "--html", "-").stdout,
                         self.make(BUNDLED).read_bytes())
        result = support.run("report", BUNDLED, "--html", self.folder / "none" / "page.html")
        self.assertEqual(result.returncode, 74)

    # --- numbers -------------------------------------------------------------------------------

    def test_every_number_is_one_of_the_report(self):
        for archive in ARCHIVES:
            with self.subTest(archive):
                report = self.open(archive)
                for i, module in enumerate(report["modules"]):
                    self.compare(f'section[data-module="{i}"]', module)

    def compare(self, section, module):
        figures = self.run_script("""
            return Array.from(document.querySelectorAll(arguments[0] + ' dd'),
                              e => [e.dataset.key, e.textContent])""", section)
        self.assertGreater(len(figures), 10)
        for key, text in figures:
            self.assertEqual(text, spelled(value_at(module, key)), key)
        calls = self.rows(section + " .calls")
        self.assertEqual(len(calls), len(module["calls"]))
        for number, (row, call) in enumerate(zip(calls, module["calls"])):
            self.assertEqual(row[0], str(number))
            for column, key in CALL_COUNTS.items():
                self.assertEqual(row[column], spelled(call[key]), key)
        self.assertEqual([row[3] for row in self.rows(section + " .live")],
                         [spelled(one["bytes"]) for one in module["peak"]["live"]])
        self.assertEqual([[row[0], row[2], row[3]] for row in self.rows(section + " .findings")],
                         [[one["code"], spelled(one["bytes"]), one["evidence"]]
                          for one in module["findings"]])
        keys = ("loads", "stores", "bytes_loaded", "bytes_stored")
        self.assertEqual([row[2:] for row in self.rows(section + " .buffers")],
                         [[spelled(buffer[key]) for key in keys]
                          for kernel in module["kernels"] for buffer in kernel["buffers"]])
        keys = ("extent", "iterations", "mac")
        self.assertEqual([row[1:] for row in self.rows(section + " .loops")],
                         [[spelled(loop[key]) for key in keys]
                          for kernel in module["kernels"] for loop in kernel["loops"]])

    # --- the memory map ------------------------------------------------------------------------

    def rectangles(self, figure="figure.map:not(.planned)"):
        return self.run_script("""
            return Array.from(document.querySelectorAll(`${arguments[0]} svg.places rect`), rect => {
              const box = rect.getBoundingClientRect();
              const plot = rect.ownerSVGElement.getBoundingClientRect();
              const value = name => Number(rect.getAttribute(name));
              return {name: rect.dataset.name, offset: Number(rect.dataset.offset),
                      first: value('x'), steps: value('width'), bytes: value('height'),
                      box: [(box.left - plot.left) / plot.width, box.width / plot.width,
                            (plot.bottom - box.bottom) / plot.height, box.height / plot.height]};
            })""", figure)

    def pool_archives(self):
        return [archive for archive in ARCHIVES if "usmp" in str(archive)]

    def test_the_map_is_what_is_alive_at_the_peak(self):
        for archive in self.pool_archives():
            with self.subTest(archive):
                peak = self.open(archive)["modules"][0]["peak"]
                alive = [one for one in self.rectangles()
                         if one["first"] <= peak["call"] < one["first"] + one["steps"]]
                self.assertEqual(
                    sorted((one["name"], one["bytes"]) for one in alive),
                    sorted((one["name"], one["bytes"]) for one in peak["live"]
                           if one["memory"] == "pool"))

    def test_pixels_of_the_map_are_where_the_topology_says(self):
        for archive in self.pool_archives():
            with self.subTest(archive):
                report = self.open(archive)
                topology = json.loads(support.run_ok("graph", archive).stdout)
                pool = next(pool for pool in topology["pools"] if pool["kind"] == "workspace")
                steps = len(report["modules"][0]["calls"])
                storages = topology["storages"]
                found = {one["name"]: one for one in self.rectangles()}
                checked = 0
                for value in topology["values"]:
                    storage = storages[value["storage"]]
                    if storage["kind"] != "pool" or value["kind"] != "computed":
                        continue
                    if topology["pools"][storage["pool"]]["kind"] != "workspace":
                        continue
                    first, last = value["first_definition"], value["last_use"]
                    expected = (first / steps, (last + 1 - first) / steps,
                                storage["offset"] / pool["bytes"], value["bytes"] / pool["bytes"])
                    for seen, wanted in zip(found[value["name"]]["box"], expected):
                        self.assertAlmostEqual(seen, wanted, delta=0.005)
                    checked += 1
                self.assertGreater(checked, 1)

    def test_a_pool_that_a_plan_makes_smaller_is_there_as_planned_beside_it(self):
        gains = 0
        for archive in self.pool_archives():
            with self.subTest(archive):
                self.open(archive)
                (module,) = json.loads(support.run_ok("plan", archive, "--json").stdout)["modules"]
                found = self.rectangles("figure.planned")
                pools = [pool for pool in module["pools"] if pool["gain"]]
                self.assertEqual(len(self.texts("figure.planned figcaption")), len(pools))
                for pool, text in zip(pools, self.texts("figure.planned figcaption")):
                    self.assertIn(f"{pool['best']} bytes: {pool['gain']} less", text)
                expected = [(buffer["variable"], buffer["best_offset"], buffer["bytes"])
                            for pool in pools for buffer in pool["buffers"] for _ in buffer["live"]]
                self.assertEqual(
                    sorted((one["name"], one["offset"], one["bytes"]) for one in found),
                    sorted(expected))
                # Nothing is drawn over anything else: a plan has no such two.
                for nth, one in enumerate(found):
                    for other in found[nth + 1 :]:
                        in_time = min(one["first"] + one["steps"], other["first"] + other["steps"]) - max(
                            one["first"], other["first"])
                        in_place = min(one["offset"] + one["bytes"], other["offset"] + other["bytes"]) - max(
                            one["offset"], other["offset"])
                        self.assertFalse(in_time > 0.001 and in_place > 0, (one, other))
                gains += len(pools)
        print(f"{gains} pools as planned")
        self.assertGreater(gains, 0)

    def test_a_step_of_the_map_is_chosen_with_the_keyboard(self):
        for archive in self.pool_archives()[:1]:
            peak = self.open(archive)["modules"][0]["peak"]
            self.assertIn(f": {peak['bytes']} bytes in use", self.texts("figure.map .readout")[0])
            slider = self.driver.find_element(By.CSS_SELECTOR, "figure.map input")
            slider.send_keys(Keys.HOME)
            for _ in range(peak["call"]):
                slider.send_keys(Keys.ARROW_RIGHT)
            text = self.texts("figure.map .readout")[0]
            self.assertIn(f"At call {peak['call']}: {peak['bytes']} bytes in use", text)
            for one in peak["live"]:
                self.assertIn(f"{one['name']}: {one['bytes']} bytes at ", text)

    # --- kernels -------------------------------------------------------------------------------

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
                        shown = support.run_ok("show", archive, kernel["symbol"], "--form", "c",
                                               "--module", module["name"]).stdout.decode()
                        self.assertEqual(c, shown)
                    if kernel["source"]:
                        self.assertEqual(title, "TVMScript")
                        self.assertRegex(script, r"^@T\.prim_func")
                        self.assertEqual(script.count("@T.prim_func"), 1)

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

    def test_who_points_at_a_statement_sees_it_in_the_other_code(self):
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

    def test_two_thousand_calls(self):
        count = 2000
        path = self.chain(count)
        self.open(path, "#call=1999")
        self.assertEqual(len(self.rows(".calls")), count)
        load = self.run_script(
            "const [one] = performance.getEntriesByType('navigation'); return one.loadEventEnd")
        sort = self.run_script("""
            const begin = performance.now();
            document.querySelectorAll('.calls thead button')[5].click();
            document.body.getBoundingClientRect();
            return performance.now() - begin""")
        print(f"2,000 calls: {load:.0f} ms to load, {sort:.0f} ms to sort")
        macs = [int(row[5]) for row in self.rows(".calls")]
        self.assertEqual(macs, sorted(macs, reverse=True))

    def test_a_page_that_is_cut_off_shows_what_there_is(self):
        whole = self.make(BUNDLED).read_text()
        path = self.folder / "cut.html"
        path.write_text(whole[: whole.index('id="memory"')])
        self.driver.get(path.as_uri())
        self.assertTrue(self.driver.find_element(By.CSS_SELECTOR, ".calls").is_displayed())

    # Of so many a browser makes elements when they are opened; without a script it makes them all.
    def test_kernels_of_a_large_network_are_there_when_they_are_opened(self):
        count = 400
        path = self.chain(count)
        self.open(path, "#kernel=tvmgen_default_add_7")
        WebDriverWait(self.driver, 10).until(lambda _: self.texts("details.kernel[open] pre"))
        (script,) = self.texts("details.kernel[open] pre")
        self.assertIn("def tvmgen_default_add_7(", script)
        self.assertEqual(self.texts("details.kernel[open] .buffers tbody td:first-child"), ["p0", "T_add"])
        self.assertEqual(len(self.texts("details.kernel pre")), 1)
        self.run_script("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(len(self.texts("details.kernel pre")), count)
        shown = "".join(Text(self.make(path).read_text()).parts)
        for i in range(count):
            self.assertIn(f"def tvmgen_default_add_{i}(", shown)

    # --- what the script adds ------------------------------------------------------------------

    def test_a_click_on_a_head_sorts(self):
        self.open(BUNDLED)
        head = "return document.querySelectorAll('.calls thead th')[5]"
        by_call = self.rows(".calls")
        self.run_script(head).find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
        self.assertEqual(self.run_script(head).get_attribute("aria-sort"), "descending")
        numbers = [int(row[5]) for row in self.rows(".calls")]
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.run_script(head).find_element(By.TAG_NAME, "button").click()
        self.assertEqual([int(row[5]) for row in self.rows(".calls")], sorted(numbers))
        self.driver.find_element(By.CSS_SELECTOR, ".calls thead button").click()
        self.driver.find_element(By.CSS_SELECTOR, ".calls thead button").click()
        self.assertEqual(self.rows(".calls"), by_call)

    def test_a_filter_leaves_the_rows_with_its_words(self):
        report = self.open(BUNDLED)
        rows = self.rows(".calls")
        word = next(row[1] for row in rows)
        field = self.driver.find_element(By.CSS_SELECTOR, "#calls + .tools input")
        field.send_keys(word)
        expected = [row for row in rows if word in " ".join(row)]
        self.assertEqual(self.rows(".calls"), expected)
        self.assertEqual(self.texts("#calls + .tools [role=status]"),
                         [f"{len(expected)} of {len(rows)}"])
        field.send_keys(" nothing-like-that")
        self.assertEqual(self.rows(".calls"), [])
        self.assertEqual(len(report["modules"][0]["calls"]), len(rows))

    def test_links_lead_into_every_place(self):
        report = self.open(BUNDLED, "#call=2")
        focus = "return document.activeElement.closest('[id]')?.id"
        WebDriverWait(self.driver, 20).until(lambda _: self.run_script(focus) == "call=2")
        symbol = report["modules"][0]["kernels"][1]["symbol"]
        self.run_script("location.hash = arguments[0]", f"#kernel={symbol}")
        self.driver.implicitly_wait(2)
        details = self.driver.find_element(By.CSS_SELECTOR, "details.target[open]")
        self.assertEqual(details.get_attribute("id"), f"kernel={symbol}")
        self.assertIn("def ", details.text)
        self.assertIn(f"int32_t {symbol}(", details.text)

    # --- safety and access ---------------------------------------------------------------------

    def test_no_request_and_no_complaint(self):
        for archive in ARCHIVES:
            with self.subTest(archive):
                self.driver.get_log("performance")
                self.driver.get_log("browser")
                self.open(archive)
                self.assertEqual(self.requests(), [])
                self.assertEqual(self.driver.get_log("browser"), [])

    def hostile_archive(self):
        metadata = json.loads(support.METADATA)
        metadata["modules"] = {HOSTILE: {**metadata["modules"]["default"], "model_name": HOSTILE}}
        text = support.NETWORK.replace('"tvmgen_default_add"', json.dumps(HOSTILE))
        path = self.folder / "<b>x&amp;.tar"
        path.write_bytes(support.make_tar({"metadata.json": json.dumps(metadata),
                                           "src/tir-1.txt": text}))
        return path

    def test_markup_in_names_stays_text(self):
        archive = self.hostile_archive()
        source = self.make(archive).read_text()
        page = Text(source)
        self.assertNotIn("img", page.tags)
        self.assertNotIn("b", page.tags)
        self.assertNotIn("\u202e", "".join(page.parts))
        report = self.open(archive)
        self.assertEqual(self.run_script("return document.querySelectorAll('img, b').length"), 0)
        self.assertEqual(self.texts("h1"), ["<b>x&amp;.tar"])
        name = report["modules"][0]["name"].replace("\u202e", "\\u202e")
        self.assertEqual(self.texts("h2"), ["Module " + name])
        self.assertEqual(self.driver.get_log("browser"), [])

    def test_axe_finds_no_violation(self):
        if not AXE.exists():
            self.skipTest("no build/page (tests/run --all makes it where there is npm)")
        for archive in ARCHIVES:
            for width, scheme in ((1600, "light"), (400, "dark")):
                with self.subTest(archive, width=width, scheme=scheme):
                    self.size(width)
                    self.media("screen", scheme)
                    self.open(archive)
                    self.assertEqual(self.violations(), [])

    def test_a_narrow_window_does_not_scroll_sideways(self):
        for archive in ARCHIVES:
            for kind in ("screen", "print"):
                with self.subTest(archive, kind=kind):
                    self.size(400)
                    self.media(kind, "light")
                    self.open(archive)
                    if kind == "screen":
                        self.assertLessEqual(
                            self.run_script("return document.documentElement.scrollWidth"), 400)

    def test_dark_is_dark_and_paper_is_light(self):
        colours = {}
        for kind, scheme in (("screen", "light"), ("screen", "dark"), ("print", "dark")):
            self.media(kind, scheme)
            self.open(BUNDLED)
            colours[kind, scheme] = self.run_script(
                "return getComputedStyle(document.body).backgroundColor")
        self.assertEqual(colours["screen", "light"], "rgb(255, 255, 255)")
        self.assertEqual(colours["print", "dark"], "rgb(255, 255, 255)")
        self.assertNotEqual(colours["screen", "dark"], "rgb(255, 255, 255)")


if __name__ == "__main__":
    unittest.main()
