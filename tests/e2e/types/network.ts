// Prints the edges of topology.json documents and the bytes of their values: a program over the
// types of schemas/. Each line is a document: edges by calls, edges by copies, bytes.
import { readFileSync } from "node:fs";

import type { Endpoint, TopologyDocument, Value } from "./topology";

const endsOf = (value: Value): Endpoint[] =>
  value.producer === null ? value.consumers : [value.producer, ...value.consumers];

for (const path of process.argv.slice(2)) {
  const document: TopologyDocument = JSON.parse(readFileSync(path, "utf8"));
  const ends = document.values.flatMap(endsOf);
  const copies = ends.filter((end) => "copy" in end).length;
  const bytes = document.storages.reduce((sum, storage) => sum + (storage.bytes ?? 0), 0);
  console.log(`${ends.length - copies} ${copies} ${bytes}`);
}
