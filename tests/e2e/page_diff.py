"""The page of mlf diff --html."""

import hashlib
import json
import re
import unittest
import urllib.parse

import support
from page_case import BUNDLED, Browser, Text, format_count, value_at
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait


class DiffPage(Browser):
    """mlf diff --html: the numbers of mlf diff, both memories, and the code that changed."""

    def pairs(self):
        places = (("tvm-0.16/aww-aot-c", "tvm-0.16/aww-aot-c-usmp"),
                  ("tvm-0.9/resnet8-aot-packed-usmp", "tvm-0.18/resnet8-aot-packed-usmp"))
        pairs = [tuple(support.CORPUS / place / "module.tar" for place in pair) for pair in places]
        found = [pair for pair in pairs if all(path.exists() for path in pair)]
        return [*found, (support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar", BUNDLED)]

    def open(self, before, after):
        path = self.directory / "page.html"
        self.assertEqual(support.run("diff", before, after, "--html", path).returncode, 1)
        self.driver.get("about:blank")
        self.driver.get_log("performance")  # of what was there before
        self.driver.get(path.as_uri())
        self.wait_for_parts()
        return json.loads(support.run("diff", before, after, "--format", "json").stdout)["modules"]

    def test_numbers_are_those_of_the_json(self):
        for pair in self.pairs():
            with self.subTest(pair):
                modules = self.open(*pair)
                numbers = [number for module in modules
                           for number in module["numbers"]
                           + [one for kernel in module["kernels"] for one in kernel["numbers"]]]
                rows = self.rows(".numbers")
                self.assertEqual([row[2:4] for row in rows],
                                 [[format_count(one["before"]), format_count(one["after"])] for one in numbers])
                # Labels are those of a report: "RAM pools" is "ram.pools", with other words for some parts.
                for row, one in zip(rows, numbers, strict=True):
                    group, dot, _ = one["what"].partition(".")
                    self.assertTrue(row[1].startswith(f"{group.upper()} ") if dot else row[1], (row, one))
                kernels = [kernel for module in modules for kernel in module["kernels"]]
                self.assertEqual(self.texts(".kernel summary .mac"),
                                 [kernel["change"] for kernel in kernels])
                self.assertEqual(self.requests(), [])
                self.assertEqual(self.driver.get_log("browser"), [])

    def test_in_a_narrow_window_numbers_are_on_the_screen(self):
        for pair in self.pairs():
            self.size(400)
            self.open(*pair)
            outside = self.run_script("""
                return Array.from(document.querySelectorAll('.numbers td.n, .figures td.n')).filter(e => {
                  const range = document.createRange();
                  range.selectNodeContents(e);
                  return range.getBoundingClientRect().right > 385;
                }).map(e => e.textContent)""")
            self.assertEqual(outside, [], pair)

    def test_the_overview_has_both_reports(self):
        for before, after in self.pairs():
            self.open(before, after)
            old, new = map(support.report_of, (before, after))
            rows = {words: numbers for words, *numbers in self.rows(".figures")}
            for key, words in (("mac", "multiply-accumulates of all calls"), ("peak.bytes", "bytes in use at the peak"),
                               ("flash.constants", "bytes of constants"), ("ram.pools", "bytes of workspace pools")):
                numbers = [format_count(value_at(old, key)), format_count(value_at(new, key))]
                self.assertEqual(rows.get(words, ["0", "0"]), numbers, key)
            # A page of two builds has the sources of both.
            digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (before, after)]
            self.assertLessEqual(set(digests), {row[1] for row in self.rows(".sources")})

    def test_links_lead_into_every_part(self):
        for pair in self.pairs():
            self.open(*pair)
            ids = self.run_script("return Array.from(document.querySelectorAll('[id]'), e => e.id)")
            links = self.run_script("""
                return Array.from(document.querySelectorAll('a'), e => e.getAttribute('href'))""")
            self.assertEqual(len(ids), len(set(ids)))
            self.assertGreaterEqual(len(links), 3)
            for link in links:
                self.assertIn(urllib.parse.unquote(link[1:]), ids)

    def test_both_networks_show_what_happened_to_kernels(self):
        for before, after in self.pairs():
            (module,) = self.open(before, after)
            if not self.texts(".network svg"):
                self.skipTest("built without Graphviz")
            changes = {kernel["after"]: kernel["change"] for kernel in module["kernels"]}
            report = support.report_of(after)
            expected = [changes.get(call["kernel"], "") for call in report["calls"]]
            boxes = self.run_script("""
                const words = [...arguments[0]];
                return Array.from(document.querySelectorAll('.network:not([hidden]) g.node'), e => ({
                  label: e.getAttribute('aria-label'),
                  texts: Array.from(e.querySelectorAll('text'), t => t.textContent.trim())
                    .filter(t => words.includes(t)),
                  fill: getComputedStyle(e.querySelector('path, polygon, ellipse')).fill,
                })).filter(box => box.label)""", ["added", "removed", "moved", "constants", "changed", "rescheduled"])
            boxes.sort(key=lambda box: int(re.match(r"call (\d+)", box["label"])[1]))
            self.assertEqual(["".join(box["texts"]) for box in boxes], expected)
            legend = dict(self.run_script("""
                return Array.from(document.querySelectorAll('.legend span'),
                  e => [e.textContent, getComputedStyle(e).backgroundColor])"""))
            for box, change in zip(boxes, expected):
                self.assertEqual(box["fill"], legend.get(change, "rgb(255, 255, 255)"))
            # A box leads to the code of its kernel. Both builds of ResNet-8 have the same kernels.
            if not any(expected):
                continue
            nth = expected.index(next(filter(None, expected)))
            self.driver.find_element(
                By.CSS_SELECTOR, f".network:not([hidden]) [aria-label^='call {nth}:']").send_keys(Keys.ENTER)
            WebDriverWait(self.driver, 10).until(lambda _: self.texts("details.target[open] .code"))
            self.assertEqual(
                urllib.parse.unquote(self.run_script("return location.hash")),
                f"#kernel={report['calls'][nth]['kernel']}")
            # The other build is one key away.
            self.driver.find_element(By.CSS_SELECTOR, "#network ~ .tools [type=checkbox]").send_keys(Keys.SPACE)
            self.assertEqual(self.run_script("""
                return document.querySelector('.network:not([hidden])').dataset.build"""), "before")

    def test_one_enter_on_a_box_does_not_close_what_it_opened(self):
        self.open(support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar", BUNDLED)
        if not self.texts(".network svg"):
            self.skipTest("built without Graphviz")
        self.run_script("document.querySelector('.network:not([hidden]) [role=link]').focus()")
        # One press is three events; the browser may follow the link after the first.
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
        self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "rawKeyDown", **key})
        WebDriverWait(self.driver, 10).until(lambda _: self.texts("details.target[open] .code"))
        self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "char", "text": "\r", **key})
        self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", **key})
        self.assertEqual(len(self.texts("details.target[open]")), 1)

    def test_memory_before_and_after_is_on_one_scale(self):
        captions = 0
        for before, after in self.pairs():
            self.open(before, after)
            texts = self.texts("figure.map figcaption")
            for side, archive in (("Before", before), ("After", after)):
                for use in support.json_of("graph", archive)["memory"]:
                    if use["kind"] == "pool" and use["bytes"]:
                        captions += any(f"{side}: pool" in text and f", {use['bytes']:,} bytes" in text
                                        for text in texts)
            heights = self.run_script("""
                return Array.from(document.querySelectorAll('figure.map'), figure => [
                  figure.querySelector('figcaption').textContent.split(',')[0].split(': ')[1],
                  figure.querySelector('svg').viewBox.baseVal.height])""")
            # Calls are on another page: readouts name steps.
            self.assertEqual(self.run_script(
                "return document.querySelectorAll('.readout a').length"), 0)
            for name in {name for name, _ in heights}:
                self.assertEqual(len({height for other, height in heights if other == name}), 1)
        if support.HAS_WHOLE_CORPUS:
            self.assertGreaterEqual(captions, 3)

    def test_lines_that_only_one_build_has_are_marked(self):
        text = support.members_of(BUNDLED)["src/tir-1.txt"].decode()
        line = next(line for line in text.splitlines() if " = " in line and "[" in line and "+" in line)
        # Without the C of the kernels, which decides where it differs from the captured text.
        without_c = {"codegen/host/src/default_lib1.c": None}
        before = self.archive_with("before.tar", without_c)
        changed = self.archive_with("after.tar", without_c | {
            "src/tir-1.txt": text.replace(line, line.replace("+", "-"), 1).encode()})
        self.open(before, changed)
        marked = self.texts(".code span.changed")
        self.assertEqual(len(marked), 2)
        self.assertIn("-", marked[1])

    def archive_with(self, name, changes):
        members = support.members_of(BUNDLED) | changes
        return self.tar({name: content for name, content in members.items() if content is not None}, name)

    def test_axe_finds_no_violation(self):
        for scheme in ("light", "dark"):
            self.media("screen", scheme)
            self.open(*self.pairs()[0])
            self.assertEqual(self.violations(), [])

    def test_builds_that_are_the_same_have_a_page_that_says_so(self):
        path = self.directory / "page.html"
        support.run_ok("diff", BUNDLED, BUNDLED, "--html", path)
        self.assertIn("No differences.", Text(path.read_text()).parts)


if __name__ == "__main__":
    unittest.main()
