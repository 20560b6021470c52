// What the script adds to a page that can be read without it.
import { all } from "./elements.ts";
import { unfoldKernels } from "./kernels.ts";
import { followLinks } from "./links.ts";
import { makeExplorable as makeMapExplorable } from "./map.ts";
import { makeExplorable as makeNetworkExplorable } from "./network.ts";
import type { Report } from "./report.ts";
import { makeFilterable, makeSortable } from "./table.ts";

// Everything is there (begin.ts), and what follows measures it.
document.documentElement.classList.remove("arriving");

// Pages of mlf diff have no report, and no network either.
const embedded = document.getElementById("report");
const report = embedded ? JSON.parse(embedded.textContent!) as Report : null;

for (const table of all<HTMLTableElement>(document, "table.filterable")) makeFilterable(table);
for (const table of all<HTMLTableElement>(document, "table.sortable")) makeSortable(table);
for (const section of all<HTMLElement>(document, "section.module")) {
  const position = Number(section.dataset["module"]);
  const prefix = position === 0 ? "" : `${position + 1}/`;
  for (const figure of all<HTMLElement>(section, "figure.map")) makeMapExplorable(figure, prefix);
  const drawings = section.querySelector<HTMLElement>(".drawings");
  if (drawings && report) makeNetworkExplorable(drawings, report.modules[position]!, prefix);
}
unfoldKernels();
followLinks();
