"""Netron, in a headless browser, shows the graph.json of real archives."""

import json
import unittest

import support

try:
    import browser
    import netron
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError as error:
    support.skip(f"the Python package {error.name} is not installed")

SECONDS = 60
ARCHIVES = [
    *(path for path in sorted(support.ARCHIVES.glob("*.tar")) if "-op-" not in path.name),
    *sorted(support.CORPUS.glob("tvm-0.18/*-aot-packed/module.tar")),
]

# What Netron has drawn. Its welcome page and its messages are other classes of the body.
DRAWN = """
const texts = selector => Array.from(document.querySelectorAll(selector), e => e.textContent);
return {
  page: document.body.className,
  message: document.getElementById('message-text').textContent,
  nodes: Array.from(document.querySelectorAll('#nodes > .graph-node'), e => e.id),
  inputs: texts('#nodes > .graph-input'),
  edges: document.querySelectorAll('#edge-paths > .edge-path').length,
};
"""


class NetronView(browser.Case):
    def show(self, path):
        """Opens a file in Netron and returns what it draws."""
        host, port = netron.serve(str(path), None, ("127.0.0.1", 0))
        self.addCleanup(netron.stop, (host, port))
        url = f"http://{host}:{port}"
        # Netron asks for consent to telemetry first, unless a cookie of its page has it.
        self.driver.get(f"{url}/favicon.ico")
        self.driver.add_cookie({"name": "consent", "value": "1"})
        self.driver.get(url)
        drawn = {}

        def is_ready(browser):
            drawn.update(browser.execute_script(DRAWN))
            return "spinner" not in drawn["page"] and "welcome" not in drawn["page"]

        WebDriverWait(self.driver, SECONDS, poll_frequency=0.1).until(is_ready)
        self.assertEqual(drawn["page"], "default", drawn["message"])
        return drawn

    def test_nodes_inputs_and_edges_are_those_of_the_graph(self):
        for archive in ARCHIVES:
            with self.subTest(archive):
                text = support.run_ok("graph", archive, "--format", "json").stdout
                path = self.directory / "graph.json"
                path.write_bytes(text)
                self.compare(self.show(path), json.loads(text))

    def compare(self, drawn, graph):
        operators = [node for node in graph["nodes"] if node["op"] != "null"]
        names = [f"node-name-{node['name']}" for node in operators]
        self.assertGreater(len(names), 0)
        self.assertEqual(sorted(drawn["nodes"]), sorted(names))
        self.assertEqual(len(drawn["inputs"]), len(graph["arg_nodes"]))
        # One for all tensors between two nodes, and one for each output.
        edges = {
            (producer, consumer)
            for consumer, node in enumerate(graph["nodes"])
            for producer, _, _ in node["inputs"]
        }
        self.assertEqual(drawn["edges"], len(edges) + len(graph["heads"]))


if __name__ == "__main__":
    unittest.main()
