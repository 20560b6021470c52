// Adds functions to a page that can be read without a script.
import { all } from "./elements.ts";
import { unfoldKernels } from "./kernels.ts";
import { followLinks } from "./links.ts";
import { makeAllExplorable as makeMapsExplorable } from "./map.ts";
import { makeExplorable as makeNetworkExplorable } from "./network.ts";
import { showFirst, unpack, type Parts } from "./packed.ts";
import type { Report } from "./report.ts";
import { drawShares, labelCells, makeFilterable, makeSortable } from "./table.ts";

// The page is complete (begin.ts), and the code below measures its elements.
document.documentElement.classList.remove("arriving");

/** Pages of two builds have no rows of calls: `links` has the id of a part, or "-", for each call. */
function linkOf(links: string | undefined, call: number, row: string): string | null {
  if (links === undefined) return row;
  const link = links.split(" ")[call] ?? "-";
  return link === "-" ? null : link;
}

function labelTablesIfNarrow(): void {
  const narrow = matchMedia("(max-width: 45rem)");
  const label = (): void => {
    if (!narrow.matches) return;
    for (const table of all<HTMLTableElement>(document, "table:not(.labelled)")) labelCells(table);
  };
  narrow.addEventListener("change", label);
  label();
}

function embedded(id: string): Report | null {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent!) as Report : null;
}

/** Returns by section: functions that show a call of its module in other views. */
function makeViews(): Map<Element, ((call: number) => void)[]> {
  // Pages of mlf diff have one report for each build.
  const reports: Record<string, Report | null> = {
    "": embedded("report"), before: embedded("report-before"), after: embedded("report-after"),
  };
  const views = new Map<Element, ((call: number) => void)[]>();
  for (const section of all<HTMLElement>(document, "section.module")) {
    const position = Number(section.dataset["module"]);
    const prefix = position === 0 ? "" : `${position + 1}/`;
    const showInMaps = makeMapsExplorable(all<HTMLElement>(section, "figure.map"), prefix);
    const peak = reports[""]?.modules[position]?.peak.call ?? null;
    if (peak !== null) showInMaps(peak);
    const its = [showInMaps];
    const drawings = section.querySelector<HTMLElement>(".drawings");
    if (drawings?.querySelector("svg")) {
      its.push(makeNetworkExplorable(
        drawings,
        ({ dataset }) => reports[dataset["build"] ?? ""]!.modules[Number(dataset["at"] ?? position)]!,
        ({ dataset }, call) => linkOf(dataset["links"], call, `${prefix}call=${call}`)));
    }
    views.set(section, its);
  }
  return views;
}

function begin(parts: Parts): void {
  showFirst(parts);
  labelTablesIfNarrow();
  for (const table of all<HTMLTableElement>(document, "table.calls")) drawShares(table);
  for (const table of all<HTMLTableElement>(document, "table.filterable")) makeFilterable(table);
  for (const table of all<HTMLTableElement>(document, "table.sortable")) makeSortable(table);
  const views = makeViews();
  unfoldKernels(parts);
  followLinks((target) => {
    const call = /(?:^|\/)call=(\d+)$/.exec(target.id);
    if (!call) return;
    for (const show of views.get(target.closest("section.module")!) ?? []) show(Number(call[1]));
  });
}

const packed = document.getElementById("packed");
// A browser that cannot decompress shows the rest.
if (packed) void unpack(packed).catch(() => new Map() as Parts).then(begin);
else begin(new Map());
