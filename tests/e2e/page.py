"""The page of mlf report --html, in a headless browser, and without one."""

import hashlib
import itertools
import json
import re
import shlex
import shutil
import unittest
import urllib.parse

import containment
import hiding
import support
from page_case import ARCHIVES, BUNDLED, Browser, Text, format_count, grouped, plain, unpacked, value_at
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&\u202e--><svg onload=alert(2)>"
CALL_COUNTS = {"MAC": "mac", "Constants (bytes)": "parameters",
               "Scratch (bytes)": "scratch", "In use (bytes)": "live",
               "Bytes loaded": "loaded", "Bytes stored": "stored"}  # fmt: skip


# The least contrast of a text of the drawing with what it is on, as WCAG defines it.
CONTRASTS = """
const select = document.querySelector('#network + .tools select');
select.value = arguments[0];
select.dispatchEvent(new Event('change'));
const luminance = colour => {
  const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map(
    c => c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const fill = e => getComputedStyle(e).fill;
const ground = fill(document.querySelector('.network:not([hidden]) .graph > polygon'));
const found = Array.from(document.querySelectorAll('.network:not([hidden]) text'), text => {
  const shape = text.closest('.node')?.querySelector('path, polygon, ellipse');
  const on = shape && fill(shape) !== 'none' ? fill(shape) : ground;
  const [a, b] = [luminance(fill(text)), luminance(on)];
  return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), text.textContent, fill(text), on];
});
return found.sort((a, b) => a[0] - b[0])[0];
"""

# Alone, and not a part of a name.
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.]*[A-Za-z_])")


def least_of(text):
    """The lower bound of a number as pages have it."""
    return 0 if text == "?" or text.startswith("<=") else int(re.match(r"(?:>=)?(\d+)", plain(text))[1])


def numbers_of(document):
    """Every number of a JSON document, of its texts as well."""
    return set(re.findall(r"\d+", json.dumps(document)))


def most_bytes(finding):
    count = finding["bytes"]
    if not isinstance(count, dict):
        return count or 0
    return count["min"] if count["max"] is None else count["max"]


def plan_of(archive):
    result = support.run("plan", archive, "--json")
    return json.loads(result.stdout) if result.returncode == 0 else None


def integration_of(archive):
    return support.json_of("inspect", "--integration", "--json", archive)


class Page(Browser):
    # --- without a script ----------------------------------------------------------------------

    def test_everything_is_there_without_a_script(self):
        for archive in ARCHIVES:
            with self.subTest(archive):
                report = support.json_of("report", "--json", archive)
                page = Text(unpacked(self.make(archive).read_text()))
                text = "".join(page.parts)
                self.assertEqual(len(page.ids), len(set(page.ids)))
                for module in report["modules"]:
                    self.assertIn(module["name"], text)
                    if module["no_network"] is None:
                        self.assertIn(format_count(module["mac"]), text)
                    for finding in module["findings"]:
                        self.assertIn(grouped(finding["evidence"]), text)
                    for kernel in module["kernels"]:
                        self.assertIn(kernel["symbol"], text)
                for link in page.links:
                    self.assertEqual(link[:1], "#", "a link out of the page")
                    self.assertIn(urllib.parse.unquote(link[1:]), page.ids)

    def test_the_page_has_the_report(self):
        for archive in ARCHIVES:
            source = unpacked(self.make(archive).read_text())
            text = re.search(r'<script type="application/json" id=report>(.*?)</script>', source,
                             re.DOTALL)[1]
            expected = support.json_of("report", "--json", archive)
            # The page states its own origin, at its end.
            expected["origin"] = {"command": None, "archives": []}
            self.assertEqual(json.loads(text), expected)

    def test_standard_output_is_a_file_as_well(self):
        page = self.make(BUNDLED)
        self.assertEqual(support.run_ok("report", BUNDLED, "--html", "-").stdout, page.read_bytes())
        support.run_to(74, "report", BUNDLED, "--html", self.directory / "none" / "page.html")

    # --- numbers -------------------------------------------------------------------------------

    def test_every_number_is_one_of_the_report(self):
        for archive, section, module in self.modules():
            with self.subTest(archive, module=module["name"]):
                self.compare(section, module)

    def compare(self, section, module):
        figures = [plain(number) for _, number in self.rows(section + " .figures")]
        # Bars have the numbers of a network.
        if module["no_network"] is None:
            self.assertEqual(figures, [])
        self.assertLessEqual(set(figures), {str(value_at(module, f"{group}.{key}")) for group in ("ram", "flash", "peak")
                                            for key in module[group] if key != "live"})
        calls = self.rows(section + " .calls")
        self.assertEqual(len(calls), len(module["calls"]))
        columns = {head: self.column(head, section + " .calls") for head in CALL_COUNTS if calls}
        for number, (row, call) in enumerate(zip(calls, module["calls"])):
            self.assertEqual(row[0], str(number))
            for head, key in CALL_COUNTS.items():
                self.assertEqual(row[columns[head]], format_count(call[key]), key)
        self.assertEqual([row[4] for row in self.rows(section + " .live")],
                         [format_count(one["bytes"]) for one in module["peak"]["live"]])
        # The largest gain first; where bytes are not the point, there is no number of them.
        self.assertEqual([[row[0], row[2], row[3]] for row in self.rows(section + " .findings")],
                         [[one["code"], "-" if one["bytes"] is None else format_count(one["bytes"]),
                           grouped(one["evidence"])]
                          for one in sorted(module["findings"], key=most_bytes, reverse=True)])
        keys = ("loads", "stores", "bytes_loaded", "bytes_stored")
        self.assertEqual([row[2:] for row in self.rows(section + " .buffers")],
                         [[format_count(buffer[key]) for key in keys]
                          for kernel in module["kernels"] for buffer in kernel["buffers"]])
        loops = [loop for kernel in module["kernels"] for loop in kernel["loops"]]
        rows = [row for row in self.rows(section + " .nest") if len(row) == 3]
        self.assertEqual([row[1:] for row in rows],
                         [[format_count(loop[key]) for key in ("iterations", "mac")] for loop in loops])
        for (line, *_), loop in zip(rows, loops):
            name = re.sub(r"\W", "_", loop["variable"])
            self.assertRegex(line, rf"\bfor {name}(_\d+)? in ")
            if isinstance(loop["extent"], int):
                self.assertRegex(line, rf"\b{loop['extent']}\b")

    def modules(self):
        """(archive, selector of its part of the page, module of the report) of all, each with its page open."""
        for archive in ARCHIVES:
            for i, module in enumerate(self.open(archive)["modules"]):
                yield archive, f'section[data-module="{i}"]', module

    def bars(self, section):
        """The bars of a module: heading, the parts by name with the least that each can be, their widths."""
        found = self.run_script("""
            return Array.from(document.querySelectorAll(arguments[0] + ' .stack'), bar => [
              bar.querySelector('h3').textContent,
              Array.from(bar.querySelectorAll('li'), e => [e.children[1].textContent, e.children[2].textContent]),
              Array.from(bar.querySelectorAll('rect'), e => e.width.baseVal.value)])""", section)
        return [(plain(head), [(name, least_of(number)) for name, number in parts], widths)
                for head, parts, widths in found]

    def test_a_bar_has_the_calls_with_the_most_multiply_accumulates(self):
        compared = 0
        for _, section, module in self.modules():
            macs = [call["mac"] for call in module["calls"]]
            if not all(isinstance(one, int) for one in macs) or sum(one > 0 for one in macs) < 2:
                continue
            head, parts, _ = self.bars(section)[2]
            self.assertEqual(head, f"Arithmetic: {sum(macs)} multiply-accumulates")
            self.assertEqual(sum(size for _, size in parts), sum(macs))
            named = {int(name.removeprefix("call ").split(",")[0]): size
                     for name, size in parts if name.startswith("call ")}
            self.assertEqual(named, {number: macs[number] for number in named})
            others = [one for number, one in enumerate(macs) if number not in named]
            self.assertLessEqual(max(others, default=0), min(named.values()))
            compared += 1
        self.assertGreater(compared, 2)

    def test_a_bar_states_no_exact_number_of_a_call_whose_number_has_bounds(self):
        two_modules = support.BUNDLED_CORPUS / "tvm-0.18/two-modules/module.tar"
        archive = hiding.Archive(support.without_tir(support.members_of(two_modules)))
        kernel = next(one for one in archive.functions if one.name == "tvmgen_first_fused_nn_contrib_dense_pack")
        text = archive.members[kernel.member].decode()
        begin = text.index("((float*)compute_global_let)[x_c] = (((float*)", kernel.begin)
        statement = text[begin : text.index(";", begin) + 1]
        again = f"if (p0[k_outer] > 0.0f) {{ {statement} }} "
        path = self.tar(archive.replaced(kernel.member, begin, begin, again), "bounds.tar")
        (module, _) = self.open(path)["modules"]
        self.assertIn({"min": 256, "max": 512}, [call["mac"] for call in module["calls"]])
        texts = self.run_script("""
            const bar = document.querySelectorAll('section[data-module="0"] .stack')[2];
            return Array.from(bar.querySelectorAll('li, rect title'), e => e.textContent)""")
        self.assertEqual(sum("256..512" in text for text in texts), 2)
        self.assertNotIn("%", "".join(texts))

    def test_bars_and_maps_of_many_bytes_are_drawn_to_their_end(self):
        # Chromium cuts lengths above 2^25.
        size = 50_000_000
        text = support.network([("add", [-1]), ("add", [0])])
        text = text.replace("[16]", f"[{size}]").replace("(4,)", f"({size // 4},)")
        path = self.tar({"metadata.json": support.METADATA, "src/tir-1.txt": text}, "large.tar")
        self.open(path)
        sizes = self.run_script("""
            const boxesOf = selector => Array.from(document.querySelectorAll(selector),
                                                   e => e.getBoundingClientRect());
            return [boxesOf('.stack:first-child svg').concat(boxesOf('.stack:first-child rect'))
                      .map(box => box.width),
                    boxesOf('.plot svg:not(.marks)').concat(boxesOf('.plot rect')).map(box => box.height)]""")
        for whole, *parts in sizes:
            self.assertAlmostEqual(sum(parts) / whole, 1, delta=0.02)
        self.assertIn(f": {size:,} bytes in use", self.texts(".readout")[0])

    def test_a_tensor_at_the_peak_links_to_the_call_that_wrote_it(self):
        self.open(BUNDLED)
        topology = support.json_of("graph", BUNDLED)
        producers = {value["name"]: value["producer"] for value in topology["values"]}
        rows = [(name, writer) for name, writer, *_ in self.rows(".live") if name in producers]
        self.assertGreater(len(rows), 0)
        for name, writer in rows:
            producer = producers[name]
            self.assertEqual(writer, "-" if producer is None else f"call {producer['call']}")

    def test_an_only_kernel_is_open(self):
        self.open(support.CORPUS / "tvm-0.18" / "op-matmul" / "module.tar")
        self.assertTrue(self.run_script("return document.querySelector('details.kernel').open"))
        self.open(BUNDLED)
        self.assertFalse(self.run_script("return document.querySelector('details.kernel').open"))

    def test_bars_have_the_parts_of_ram_and_flash(self):
        compared = 0
        for archive, section, module in self.modules():
            bars = self.bars(section)
            if module["no_network"] is not None:
                self.assertEqual(bars, [])
                continue
            (ram_head, ram, widths), (flash_head, flash, _), *_ = bars
            self.assertEqual(widths, [bytes for _, bytes in ram])
            named = dict(ram)
            if isinstance(module["peak"]["bytes"], int) and module["peak"]["call"] is not None:
                at_peak = [named.get(f"{one} at the peak", 0) for one in ("tensors", "workspaces")]
                self.assertEqual(sum(at_peak), module["peak"]["bytes"], archive)
            for name, key in (("inputs and outputs", "io"), ("arguments of packed calls", "arguments")):
                if isinstance(module["ram"][key], int):
                    self.assertEqual(named.get(name, 0), module["ram"][key], archive)
            parts = [module["ram"][key] for key in ("pools", "io", "executor", "heap", "stack", "arguments")]
            for head, found, known in ((ram_head, ram, parts),
                                       (flash_head, flash, [module["flash"][one] for one in ("constants", "copies")])):
                if all(isinstance(one, int) for one in known):
                    self.assertEqual(sum(bytes for _, bytes in found), sum(known), archive)
                    self.assertIn(f" {sum(known)} bytes without ", head)
                    compared += 1
        self.assertGreater(compared, 3)

    def test_bars_have_no_exact_part_where_a_kernel_is_not_understood(self):
        archive = self.tar(containment.hidden_loop().edited, "hidden.tar")
        report = self.open(archive)
        (module,) = report["modules"]
        self.assertNotIsInstance(module["ram"]["stack"], int)
        parts = dict(self.run_script("""
            return Array.from(document.querySelectorAll('.stack li'),
                              e => [e.children[1].textContent, e.children[2].textContent])"""))
        for name in ("tensors at the peak", "workspaces at the peak", "other constants"):
            self.assertRegex(parts[name], r"[.<>?]", name)
        titles = self.run_script("return Array.from(document.querySelectorAll('.stack title'), e => e.textContent)")
        self.assertFalse([title for title in titles if "%" in title])

    def test_bars_have_stack_frames_and_code_of_a_compiler(self):
        path = self.directory / "page.html"
        support.run_ok("report", BUNDLED, "--cc", "gcc", "--html", path)
        document = support.json_of("report", BUNDLED, "--cc", "gcc", "--json")
        (module,) = document["modules"]
        self.driver.get(path.as_uri())
        (ram_head, ram, _), (flash_head, flash, _), *_ = self.bars("section")
        self.assertNotIn("without", ram_head + flash_head)
        self.assertEqual(dict(flash)["code"], module["flash"]["code"])
        for head, total in zip((ram_head, flash_head), document["totals"]):
            least, most = (total["needed"][end] for end in ("min", "max"))
            self.assertRegex(head, f": (>=)?{least}" + (rf"\.\.{most} " if most is not None else " "))
        frames = module["ram"]["frames"]["min"]
        others = sum(module["ram"][key] for key in ("pools", "io", "executor", "heap"))
        self.assertEqual(sum(bytes for _, bytes in ram), others + frames)

    def test_in_a_narrow_window_numbers_are_on_the_screen(self):
        for archive in ARCHIVES:
            with self.subTest(archive):
                self.size(400)
                self.open(archive)
                outside, high = self.run_script("""
                    for (const e of document.querySelectorAll('details')) e.open = true;
                    const numbers = document.querySelectorAll('td.n, .stack strong');
                    const names = document.querySelectorAll('.calls .wide a, .findings td:nth-child(2) a, summary');
                    const right = e => {
                      const range = document.createRange();
                      range.selectNodeContents(e);
                      return range.getBoundingClientRect().right;
                    };
                    const lines = e => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight);
                    return [Array.from(numbers).filter(e => right(e) > 400).map(e => e.textContent),
                            Array.from(names).filter(e => lines(e) > 2.8).map(e => e.textContent)]""")
                self.assertEqual(outside, [])
                self.assertEqual(high, [])

    def test_the_overview_says_where_the_peak_is_and_what_could_be_gained(self):
        for _, section, module in self.modules():
            text = " ".join(self.texts(f"{section} p.summary"))
            peak = module["peak"]
            if peak["call"] is not None:
                self.assertIn(f"The most memory is in use in call {peak['call']}, ", text)
                self.assertIn(f": {format_count(peak['bytes'])} bytes", text)
                least = f"Any offsets for this order of calls need at least {format_count(peak['lower_bound'])} bytes."
                self.assertNotEqual(least in text, "With other offsets, pool " in text)
            largest = max(module["findings"], key=most_bytes, default=None)
            if largest is not None and largest["bytes"] is not None:
                self.assertIn(f"{format_count(largest['bytes'])} bytes at most ({largest['code']})", text)

    def test_the_overview_begins_with_the_executor_the_size_and_the_targets(self):
        report = self.open(BUNDLED)
        self.assertRegex(
            self.texts("p.subject")[0],
            rf"^AOT executor; calls: {len(report['modules'][0]['calls'])}; "
            rf"kernels: {len(report['modules'][0]['kernels'])}; targets: c; exported: \d{{4}}-")

    def test_tensors_at_the_peak_that_share_bytes_add_up(self):
        for _, section, module in self.modules():
            sizes = [one["bytes"] for one in module["peak"]["live"]]
            if None in sizes or not isinstance(module["peak"]["bytes"], int):
                continue
            shared = sum(sizes) - module["peak"]["bytes"]
            found = [text for text in self.texts(f"{section} p.note")
                     if text.startswith("Tensors share ")]
            wanted = f"Tensors share {shared:,} bytes, which count once."
            self.assertEqual(found, [wanted] if sizes and shared else [])

    def test_shares_of_calls_are_bars(self):
        self.open(BUNDLED)
        mac = self.column("MAC")
        shares = self.run_script("""
            return Array.from(document.querySelectorAll('.calls tbody tr'),
                              row => Number(row.cells[arguments[0]].style.getPropertyValue('--share')))""", mac)
        macs = [int(plain(row[mac])) for row in self.rows(".calls")]
        self.assertEqual(shares, [number / max(macs) for number in macs])

    def test_an_application_finds_what_it_has_to_provide(self):
        for archive in ARCHIVES:
            self.open(archive)
            for i, module in enumerate(integration_of(archive)["modules"]):
                section = f'section[data-module="{i}"]'
                with self.subTest(archive, module=module["name"]):
                    code = " ".join(self.texts(f"{section} .note + pre"))
                    for function in module["functions"]:
                        self.assertIn(function["prototype"] or function["symbol"], code)
                    for one in module["structs"]:
                        self.assertIn(f"struct {one['name']} {{", code)
                    rows = self.rows(f"{section} .needs")
                    of = {origin: words.split(", ") for origin, words in
                          (row for row in rows if len(row) == 2 and "include" not in row[0])}
                    names = [one["name"] for one in module["external"] + module["headers"]]
                    shown = [row[1].split(", ") for row in rows if len(row) == 2]
                    self.assertLessEqual(set(names), set(itertools.chain(*shown)))
                    self.assertEqual(set(of) - {"definitions", "flags", "content of"},
                                     {one["origin"] for one in module["external"] + module["headers"]})
                    for tensor in module["inputs"] + module["outputs"]:
                        self.assertTrue([row for row in rows if row[0] == tensor["name"]
                                         and format_count(tensor["bytes"]) in row], tensor)
                    for memory in module["memory"]:
                        defined = "archive" if memory["in_archive"] else "application"
                        self.assertIn([memory["name"] or "-", memory["kind"], defined, format_count(memory["bytes"]),
                                       str(memory["alignment"])], [row[:5] for row in rows])

    def test_a_ticket_names_the_command_and_what_was_read(self):
        path = self.directory / "it's $a copy.tar"
        path.write_bytes(BUNDLED.read_bytes())
        page = self.directory / "page.html"
        support.run_ok("report", path, "--html", page)
        self.driver.get(page.as_uri())
        (command,) = self.texts("section[aria-label=Sources] .symbol")
        # The page is the same under any name.
        self.assertEqual(shlex.split(command), ["mlf", "report", str(path), "--html", "page.html"])
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        (archive, *members) = self.rows(".sources")
        self.assertEqual(archive, [f"{path.name}, Model Library Format 7", digest])
        for name, sha256 in members:
            self.assertEqual(sha256, hashlib.sha256(support.members_of(path)[name]).hexdigest(), name)
        self.assertLessEqual({"metadata.json", "src/tir-1.txt", "codegen/host/src/default_lib1.c"},
                             {name for name, _ in members})

    # Everything but code, constants (below), names of files and the rounded sizes of pictures.
    def test_every_number_of_the_text_is_in_the_report(self):
        for archive in ARCHIVES:
            with self.subTest(archive):
                report = self.open(archive)
                known = numbers_of(report) | numbers_of(plan_of(archive))
                known |= numbers_of(integration_of(archive))
                # Sums by role.
                known |= set(re.findall(r"\d+", support.run_ok("report", archive).stdout.decode()))
                for module in report["modules"]:
                    if module["no_network"] is None:
                        known |= numbers_of(support.json_of(
                            "graph", archive, "--module", module["name"]))
                    known |= {str(i) for i in range(len(module["calls"]) + len(module["findings"]))}
                texts = self.run_script("""
                    const left = 'script, noscript, style, pre, .nest td:first-child, .constants, svg, ' +
                                 'h1, footer, .stack, .subject, [aria-label=Sources]';
                    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
                    const texts = [];
                    while (walker.nextNode()) {
                      const node = walker.currentNode;
                      if (!node.parentElement.closest(left)) texts.push(node.data);
                    }
                    return texts""")
                shown = {number for text in texts for number in NUMBER.findall(plain(text))}
                self.assertGreater(len(shown), 1)
                self.assertEqual(shown - known, set())

    def test_constants_are_those_of_the_archive(self):
        source = support.members_of(BUNDLED)["codegen/host/src/default_lib1.c"].decode()
        truth = {}
        for dtype, name, elements in re.findall(
                r"(\w+)_t __attribute__.* (\w+)\[\d+\] = \{([^}]*)\}", source):
            values = [int(text, 16) for text in elements.replace(" ", "").split(",")]
            truth[name] = [dtype, str(len(values)), str(values.count(0)), str(min(values)),
                           str(max(values))]
        self.open(BUNDLED)
        shown = self.rows(".constants")
        self.assertEqual(len(shown), len(truth))
        for name, *numbers, _ in shown:
            self.assertEqual([plain(number) for number in numbers], truth[name])
        bins = self.run_script("""
            return Array.from(document.querySelectorAll('.constants .bars'), bars =>
              Array.from(bars.querySelectorAll('title'), e => Number(e.textContent)))""")
        self.assertEqual([sum(one) for one in bins], [int(plain(row[2])) for row in shown])

    # --- large networks ------------------------------------------------------------------------

    def test_two_thousand_calls_load_and_sort(self):
        count = 2000
        path = self.chain(count)
        self.open(path, "#call=1999")
        self.assertEqual(len(self.rows(".calls")), count)
        load = self.run_script(
            "const [one] = performance.getEntriesByType('navigation'); return one.loadEventEnd")
        sort = self.run_script("""
            const begin = performance.now();
            document.querySelectorAll('.calls thead button')[arguments[0]].click();
            document.body.getBoundingClientRect();
            return performance.now() - begin""", self.column("MAC"))
        print(f"2,000 calls: {load:.0f} ms to load, {sort:.0f} ms to sort")
        mac = self.column("MAC")
        macs = [int(plain(row[mac])) for row in self.rows(".calls")]
        self.assertEqual(macs, sorted(macs, reverse=True))

    def test_a_page_that_is_cut_off_shows_what_there_is(self):
        whole = self.make(BUNDLED).read_text()
        path = self.directory / "cut.html"
        path.write_text(whole[: whole.index("id=memory")])
        self.driver.get(path.as_uri())
        self.assertTrue(self.driver.find_element(By.CSS_SELECTOR, ".calls").is_displayed())

    # --- what the script adds ------------------------------------------------------------------

    def test_a_click_on_a_head_sorts(self):
        self.open(BUNDLED)
        mac = self.column("MAC")
        head = f"return document.querySelectorAll('.calls thead th')[{mac}]"
        by_call = self.rows(".calls")
        self.run_script(head).find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
        self.assertEqual(self.run_script(head).get_attribute("aria-sort"), "descending")
        numbers = [int(plain(row[mac])) for row in self.rows(".calls")]
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.run_script(head).find_element(By.TAG_NAME, "button").click()
        self.assertEqual([int(plain(row[mac])) for row in self.rows(".calls")], sorted(numbers))
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

    def test_no_request_and_no_error(self):
        for archive in ARCHIVES:
            with self.subTest(archive):
                self.driver.get_log("performance")
                self.driver.get_log("browser")
                self.open(archive)
                self.assertEqual(self.requests(), [])
                self.assertEqual(self.driver.get_log("browser"), [])

    # --- what is wrong -------------------------------------------------------------------------

    def test_an_archive_that_contradicts_itself_says_so_first(self):
        text = support.NETWORK.replace('"tvmgen_default_add", x_buffer.data, ', '"tvmgen_default_add", ')
        path = self.tar({"metadata.json": support.METADATA, "src/tir-1.txt": text}, "broken.tar")
        checks = [check for check in support.json_of("graph", path)["checks"]
                  if check["severity"] == "error"]
        self.assertGreater(len(checks), 0)
        self.open(path)
        self.assertEqual([text.split(": ", 1)[-1] for text in self.texts(".checks li")],
                         [check["detail"] for check in checks])
        above, bars = self.run_script("""
            return ['.checks', '.stacks'].map(
              selector => document.querySelector(selector).getBoundingClientRect().top)""")
        self.assertLess(above, bars)
        self.open(BUNDLED)
        self.assertEqual(self.texts(".checks"), [])

    def hostile_archive(self):
        metadata = json.loads(support.METADATA)
        metadata["modules"] = {HOSTILE: {**metadata["modules"]["default"], "model_name": HOSTILE}}
        text = support.NETWORK.replace('"tvmgen_default_add"', json.dumps(HOSTILE))
        return self.tar({"metadata.json": json.dumps(metadata), "src/tir-1.txt": text}, "<b>x&amp;.tar")

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
        self.assertEqual(self.texts("section.module h2"), ["Module " + name])
        self.assertEqual(self.driver.get_log("browser"), [])

    def test_axe_finds_no_violation(self):
        looks = ((1600, "light"), (400, "dark"))
        seen = [(archive, width, "screen", scheme)
                for archive, (width, scheme) in zip(ARCHIVES, itertools.cycle(looks))]
        # What colours and widths could do together shows in one archive.
        seen += [(BUNDLED, width, kind, scheme) for kind in ("screen", "print")
                 for width in (1600, 400) for scheme in ("light", "dark")]  # fmt: skip
        for archive, width, kind, scheme in seen:
            with self.subTest(archive, width=width, kind=kind, scheme=scheme):
                self.size(width)
                self.media(kind, scheme)
                self.open(archive)
                self.assertEqual(self.violations(), [])

    # axe-core does not look at text of drawings.
    def test_drawings_can_be_read_in_every_colour(self):
        places = [path for path in ARCHIVES if "cmsis-nn" in str(path)] or [BUNDLED]
        for kind, scheme in (("screen", "light"), ("screen", "dark"), ("print", "dark")):
            self.media(kind, scheme)
            self.open(places[0])
            if not self.texts(".network svg"):
                self.skipTest("built without Graphviz")
            for colour in ("", "mac", "live", "target"):
                with self.subTest(kind=kind, scheme=scheme, colour=colour):
                    worst = self.run_script(CONTRASTS, colour)
                    self.assertGreaterEqual(worst[0], 4.5, worst)

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

    def test_every_column_of_calls_with_a_profile_is_on_the_screen(self):
        archive = support.CORPUS / "tvm-0.16" / "aww-aot-c-usmp" / "module.tar"
        archive = archive if archive.exists() else BUNDLED
        calls = support.report_of(archive)["calls"]
        table, page = self.directory / "times.csv", self.directory / "page.html"
        table.write_text("call,cycles\n" + "".join(f"{i},{4_000_000 + i}\n" for i in range(len(calls))))
        profile = self.directory / "profile.json"
        measured = ("--measured", table)
        emulated = ("--cpu", "cortex-m4", "--clock", "80M", "--cpi", "1..2")
        for width, source in itertools.product((1600, 1000), (measured, emulated)):
            if source == emulated and not shutil.which("qemu-system-arm"):
                continue
            profile.write_bytes(support.run_ok("profile", *source, "--json", archive).stdout)
            support.run_ok("report", archive, "--profile", profile, "--html", page)
            with self.subTest(width=width, source=source[0]):
                self.size(width)
                self.driver.get(page.as_uri())
                self.wait_for_parts()
                box, whole, heads = self.run_script("""
                    const table = document.querySelector('.calls');
                    return [table.parentElement.clientWidth, table.parentElement.scrollWidth,
                            Array.from(table.tHead.rows[0].cells, e => e.textContent)]""")
                self.assertLessEqual({"Share (%)", "Per MAC", "Lines of C"}, set(heads))
                self.assertLessEqual(whole, box)

    # Columns too narrow for a sentence would make one finding as high as the box they are in.
    def test_in_a_narrow_window_several_findings_are_seen_at_once(self):
        for archive in ARCHIVES:
            self.size(400)
            report = self.open(archive)
            if not any(module["findings"] for module in report["modules"]):
                continue
            with self.subTest(archive):
                box, row = self.run_script("""
                    const table = document.querySelector('.findings');
                    return [parseFloat(getComputedStyle(table.parentElement).maxHeight),
                            Math.max(...Array.from(table.tBodies[0].rows, row => row.offsetHeight))]""")
                self.assertLessEqual(row, box / 2)

    # Chromium draws a head again on each page, but neither what sticks in it nor buttons.
    def test_on_paper_heads_are_text(self):
        self.open(BUNDLED)
        looks = """
            return Array.from(document.querySelectorAll('thead th'), head => [head, head.firstElementChild])
              .map(([head, button]) => [getComputedStyle(head).position,
                                        button ? getComputedStyle(button).display : 'contents'].join(' '))"""
        self.assertNotEqual(set(self.run_script(looks)), {"static contents"})
        self.media("print", "light")
        self.assertEqual(set(self.run_script(looks)), {"static contents"})

    def test_on_paper_nothing_is_cut_at_the_bottom(self):
        self.media("print", "light")
        self.open(BUNDLED)
        cut = self.run_script("""
            dispatchEvent(new Event('beforeprint'));
            return Array.from(document.querySelectorAll('.scroll, pre, .network'))
              .filter(e => e.scrollHeight > e.clientHeight + 1).map(e => e.getAttribute('aria-label'))""")
        self.assertEqual(cut, [])

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
