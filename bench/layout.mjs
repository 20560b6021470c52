// Lays out a graph with ELK: node bench/layout.mjs ELKJS < GRAPH, where GRAPH has the children and
// edges of ELK's JSON, and `runs`: a list of layout options. Prints processor seconds, width and height
// of each run.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const Elk = createRequire(import.meta.url)(process.argv[2]);
const { children, edges, runs } = JSON.parse(readFileSync(0, "utf8"));
const elk = new Elk();
const results = [];
for (const layoutOptions of runs) {
  const graph = structuredClone({ id: "root", layoutOptions, children, edges });
  const before = process.cpuUsage();
  const { width, height } = await elk.layout(graph);
  const { user, system } = process.cpuUsage(before);
  results.push({ seconds: (user + system) / 1e6, width, height });
}
console.log(JSON.stringify(results));
