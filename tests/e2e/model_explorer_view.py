"""Google's Model Explorer, in a headless browser, shows the graph and the costs that mlf writes for it.

Its Python package has the page, which reads graphs itself; the package's server only hands it files, and
asks the network for newer versions of itself. Here files come from a server of ours.
"""

import importlib.util
import json
import pathlib
import unittest
import urllib.parse

import browser
import support
from selenium.webdriver.support.ui import WebDriverWait

# Found, not imported: the package alone takes a second to import.
found = importlib.util.find_spec("model_explorer")
if found is None:
    support.skip("the Python package ai-edge-model-explorer is not installed")
PAGE = pathlib.Path(found.origin).parent / "web_app"

SECONDS = 120
PLACES = ["tvm-0.16/aww-aot-c-usmp", "tvm-0.18/resnet8-graph", "tvm-0.18/cmsis-nn"]
ARCHIVES = [*(path for path in support.bundled_archives() if "-op-" not in path.name),
            *(path for place in PLACES if (path := support.CORPUS / place / "module.tar").exists())]
# What reads graphs in its own JSON; its server lists it beside those that convert models.
READER = {"id": "builtin_json", "name": "JSON", "description": "", "type": "adapter", "fileExts": ["json"]}

# Names in boxes are drawn with WebGL, unless the user wants them sharp.
SETTINGS = "localStorage.setItem('model_explorer_settings', '{\"use_svg_text_renderer\": true}')"
SHOWN = """
const cells = selector => Array.from(document.querySelectorAll(`${selector} tr`),
                                     row => Array.from(row.cells, cell => cell.innerText.trim()));
return {
  error: document.querySelector('.models-table')?.innerText.includes('Error') ?? false,
  counts: Object.fromEntries(cells('.info-attrs')),
  boxes: Array.from(document.querySelectorAll('svg text'), e => e.textContent),
  costs: cells('.results table').slice(1).map(([, name, cost]) => [name, cost]),
};
"""


class Handler(browser.Handler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/api/v1/get_extensions":
            self.answer([READER])
        elif url.path == "/api/v1/read_text_file":
            (path,) = urllib.parse.parse_qs(url.query)["path"]
            self.answer({"content": pathlib.Path(path).read_text(encoding="utf-8")})
        elif url.path.startswith("/api"):
            self.answer({})
        else:
            super().do_GET()

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class ModelExplorerView(browser.ServedCase):
    PAGE, HANDLER = PAGE, Handler
    # Boxes are drawn with WebGL, here without a graphics card.
    OPTIONS = ("--enable-unsafe-swiftshader",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.driver.set_window_size(1400, 900)
        cls.driver.get(f"{cls.address}/static_files/favicon.svg")
        cls.driver.execute_script(SETTINGS)

    def write(self, name, *command):
        path = self.directory / name
        path.write_bytes(support.run_ok(*command).stdout)
        return path, json.loads(path.read_bytes())

    def show(self, graph, costs):
        data = {"models": [{"url": str(graph), "adapterId": READER["id"]}], "nodeData": [str(costs)]}
        self.driver.get("about:blank")
        self.driver.get(f"{self.address}/?data={urllib.parse.quote(json.dumps(data))}")
        shown = {}

        def is_ready(driver):
            shown.update(driver.execute_script(SHOWN))
            return shown["error"] or (shown["costs"] and shown["boxes"])

        WebDriverWait(self.driver, SECONDS, poll_frequency=0.2).until(is_ready)
        self.assertFalse(shown["error"], self.driver.execute_script("return document.body.innerText"))
        return shown

    def test_boxes_are_those_of_the_graph_and_costs_those_of_the_report(self):
        for archive in ARCHIVES:
            with self.subTest(archive):
                graph_path, document = self.write("graph.json", "graph", archive, "--format",
                                                  "model-explorer")
                costs, _ = self.write("costs.json", "report", archive, "--node-data", "mac")
                (graph,) = document["graphs"]
                module = support.report_of(archive)
                shown = self.show(graph_path, costs)
                self.assertEqual(shown["counts"]["op node count"], str(len(graph["nodes"])))
                # It breaks long names into lines and cuts what is longer still.
                self.assertGreaterEqual(len(shown["boxes"]), len(graph["nodes"]))
                costs_of = {f"call{i}": str(call["mac"]) for i, call in enumerate(module["calls"])
                            if isinstance(call["mac"], int)}  # fmt: skip
                expected = [(node["label"], costs_of.get(node["id"], "-")) for node in graph["nodes"]]
                self.assertEqual(sorted(map(tuple, shown["costs"])), sorted(expected))


if __name__ == "__main__":
    unittest.main()
