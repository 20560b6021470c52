"""What tests of the pages of mlf report --html and mlf diff --html have in common."""

import base64
import gzip
import html.parser
import json
import re

import browser
import support
from selenium.webdriver.support.ui import WebDriverWait

AXE = support.SOURCE / "build" / "page" / "node_modules" / "axe-core" / "axe.min.js"
BUNDLED = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
PLACES = ["tvm-0.16/aww-aot-c-usmp", "tvm-0.18/resnet8-graph", "tvm-0.18/cmsis-nn",
          "tvm-0.18/two-modules", "tvm-0.9/qnn_conv-aot-c-usmp", "tvm-0.18/op-multi"]  # fmt: skip
ARCHIVES = [*support.bundled_archives(),
            *(path for place in PLACES if (path := support.CORPUS / place / "module.tar").exists())]


def format_count(count):
    """As pages have numbers."""
    if count is None:
        return "?"
    if isinstance(count, int):
        return f"{count:,}"
    least, most = count["min"], count["max"]
    if most is None:
        return f">={least:,}"
    return f"<={most:,}" if least == 0 else f"{least:,}..{most:,}"


def grouped(text):
    """A sentence as pages have it: numbers in groups, digits of names as they are."""
    return re.sub(r"(?<![\w./:])\d{4,}(?![\w./:])", lambda match: f"{int(match[0]):,}", text)


def plain(text):
    """Without the separators of groups."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", text)


def value_at(module, path):
    for key in path.split("."):
        module = module[key]
    return module


def parts_of(source):
    """The parts that a large page has compressed."""
    packed = re.search(r'<script type="application/gzip" id=packed>(.*?)</script>', source)
    return gzip.decompress(base64.b64decode(packed[1])).decode().split("\0")[:-1] if packed else []


def unpacked(source):
    """The page with its parts in their places, as the script shows them."""
    parts = iter(parts_of(source))
    return re.sub(r'<p class=note data-part="">.*?</p>', lambda _: next(parts), source)


class Text(html.parser.HTMLParser):
    """The text of a page as a reader without script sees it, and the ids of its elements."""

    def __init__(self, source):
        super().__init__()
        self.hidden, self.parts, self.ids, self.links, self.tags = 0, [], [], [], set()
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.hidden += tag in ("script", "style")
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("href", "xlink:href", "src")]

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(data)


class Browser(browser.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.driver.set_script_timeout(300)  # axe-core on a page with every kernel open

    def setUp(self):
        self.size(1600)
        self.media("screen", "light")

    def size(self, width):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})

    def media(self, kind, scheme):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": kind, "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def make(self, archive):
        path = self.directory / "page.html"
        support.run_ok("report", archive, "--html", path)
        return path

    def open(self, archive, fragment=""):
        self.driver.get("about:blank")
        self.driver.get(self.make(archive).as_uri() + fragment)
        self.wait_for_parts()
        return support.json_of("report", "--json", archive)

    def wait_for_parts(self):
        """Until the script has decompressed those of a large page."""
        WebDriverWait(self.driver, 20).until(
            lambda _: self.run_script("return !document.getElementById('packed')"))

    def run_script(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector):
        return self.run_script(
            "return Array.from(document.querySelectorAll(arguments[0]), e => e.textContent)", selector)

    def rows(self, selector):
        return self.run_script("""
            return Array.from(document.querySelectorAll(arguments[0] + ' tbody tr'))
              .filter(row => !row.hidden).map(row => Array.from(row.cells, c => c.textContent))
        """, selector)

    def column(self, head, selector=".calls"):
        """The position of a column of the first such table."""
        return self.run_script("""
            const table = document.querySelector(arguments[0]);
            return Array.from(table.tHead.rows[0].cells, e => e.textContent)""", selector).index(head)

    def requests(self):
        """What the pages asked for since the last call, but for themselves."""
        events = [json.loads(entry["message"])["message"]
                  for entry in self.driver.get_log("performance")]
        urls = [event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.endswith("/page.html")]

    def violations(self):
        """Of rules of axe-core, with all that can be opened open."""
        if not AXE.exists():
            self.skipTest("no build/page (tests/run --all makes it where there is npm)")
        self.run_script("for (const e of document.querySelectorAll('details')) e.open = true")
        self.run_script(AXE.read_text())
        return self.driver.execute_async_script("""
            const done = arguments[0];
            axe.run({resultTypes: ['violations']}).then(r => done(r.violations.map(
              v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))])));""")

    def chain(self, count, attributes=lambda i: ""):
        """An archive whose calls each read what the one before has written."""
        calls = [(f"add_{i}", [i - 1]) for i in range(count)]
        kernels = "\n".join(support.KERNEL.replace("default_add", f"default_add_{i}")
                            .replace("        for i in", attributes(i) + "        for i in")
                            for i in range(count))  # fmt: skip
        return self.archive("chain.tar", support.network(calls, kernels))
