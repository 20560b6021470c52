// The network: whole or with its repeated parts drawn once, coloured by cost or target, searched.
// Boxes lead to the rows of their calls.
import { magnitude } from "./count.ts";
import { costOf, Drawing, MEASURES, type CallBox, type Measure } from "./drawing.ts";
import { all, button, make } from "./elements.ts";
import { matches } from "./order.ts";
import type { Module } from "./report.ts";

/** Where the call runs: the kind of the target that its kernel was compiled for. */
type Targets = Map<string, string | null>;

function targetsOf(module: Module): Targets {
  return new Map(module.kernels.map((kernel) => [kernel.symbol, kernel.target]));
}

// Light: black and red text can be read on them.
const TARGET_COLOURS = ["#cfe2ff", "#ffe3b3", "#d3f0d0", "#ead6f7", "#ffd6dc", "#e2e2e2"];

/** Colours by target, in the order of their names; the rest shares the last. */
function targetColours(targets: Targets): Map<string, string> {
  const names = [...new Set([...targets.values()].map((target) => target ?? "not known"))].sort();
  return new Map(names.map((name, i) =>
    [name, TARGET_COLOURS[Math.min(i, TARGET_COLOURS.length - 1)]!]));
}

/** Calls of a box that repeats run on one target, or on several: that is no colour. */
function colourByTarget(drawing: Drawing, targets: Targets): void {
  const colours = targetColours(targets);
  drawing.fill((box) => {
    const its = new Set(box.calls.map((call) => targets.get(call.kernel) ?? "not known"));
    return its.size === 1 ? colours.get([...its][0]!)! : "#fff";
  });
}

function colourByCost(drawing: Drawing, measure: Measure | ""): void {
  const cost = (box: CallBox): number => (measure ? magnitude(costOf(box, measure)) : 0);
  const most = Math.max(1, ...drawing.boxes.map(cost));
  // From white to a light amber, on which black and red text can be read.
  drawing.fill((box) => (measure ? `hsl(40 95% ${100 - (30 * cost(box)) / most}%)` : ""));
}

function makeLegend(targets: Targets): HTMLElement {
  return make("span", { class: "legend", hidden: "" },
    ...[...targetColours(targets)].map(([name, fill]) => {
      const key = make("span", {}, name);
      key.style.backgroundColor = fill;
      return key;
    }));
}

/** Every word of the search in the number, the kernel or the layer of one call. */
function find(drawing: Drawing, words: string): CallBox[] {
  return drawing.boxes.filter((box) => {
    const isFound = words !== "" && box.calls.some((call, i) =>
      matches(`call ${box.first + i} ${call.kernel} ${call.layer ?? ""}`, words));
    box.element.classList.toggle("found", isFound);
    return isFound;
  });
}

/** Without a script the second drawing is folded away below the first; with it, one is shown. */
function takeDrawings(section: HTMLElement, module: Module, prefix: string): Drawing[] {
  return all<HTMLElement>(section, ".network").map((frame) => {
    const details = frame.closest("details");
    if (details) {
      details.replaceWith(frame);
      frame.hidden = true;
    }
    return new Drawing(frame, module.calls, prefix);
  });
}

export function makeExplorable(section: HTMLElement, module: Module, prefix: string): void {
  const drawings = takeDrawings(section, module, prefix);
  let [shown] = drawings as [Drawing, ...Drawing[]];
  shown.fit();

  const targets = targetsOf(module);
  const legend = makeLegend(targets);
  const select = make("select", {}, make("option", { value: "" }, "kind"),
    ...Object.entries(MEASURES).map(([value, text]) => make("option", { value }, text)),
    make("option", { value: "target" }, "target"));
  const colour = (): void => {
    legend.hidden = select.value !== "target";
    if (legend.hidden) colourByCost(shown, select.value as Measure | "");
    else colourByTarget(shown, targets);
  };
  select.addEventListener("change", colour);
  select.value = "mac";
  colour();

  const search = make("input", { type: "search", placeholder: "kernel or layer" });
  const status = make("span", { role: "status" });
  const look = (): void => {
    const found = find(shown, search.value);
    status.textContent = search.value ? `${found.length} of ${shown.boxes.length}` : "";
    if (found[0]) shown.centre(found[0]);
  };
  search.addEventListener("input", look);

  const tools = make("div", { class: "tools" },
    make("label", {}, "Colour by ", select), legend, make("label", {}, "Find ", search), status,
    button("+", "Larger", () => shown.zoom(true)),
    button("\u2212", "Smaller", () => shown.zoom(false)),
    button("All", "The whole network", () => shown.showAll()));
  const other = drawings[1];
  if (other) {
    const fold = make("input", { type: "checkbox" });
    const [whole] = drawings as [Drawing];
    fold.addEventListener("change", () => {
      shown.frame.hidden = true;
      shown = fold.checked ? other : whole;
      shown.frame.hidden = false;
      shown.fit();
      colour();
      look();
    });
    tools.prepend(make("label", {}, fold, " Fold repeats"));
  }
  section.before(tools);
}
