// The drawing of the network: coloured by cost, with pan, zoom and search. Its nodes lead to the
// rows of their calls.
import { magnitude, spelled } from "./count.ts";
import { all, button, make } from "./elements.ts";
import { matches } from "./order.ts";
import type { Call, Module } from "./report.ts";
import { centred, fitted, moved, zoomed, type Box } from "./view_box.ts";

const MEASURES = {
  mac: "MAC", live: "bytes in memory", loaded: "bytes loaded", parameters: "bytes of constants",
} as const;
type Measure = keyof typeof MEASURES;

interface CallNode {
  element: SVGGElement;
  call: Call;
  number: number;
}

/** Nodes of calls: Graphviz keeps the name ("call3") in the title. */
function callNodes(svg: SVGSVGElement, calls: Call[]): CallNode[] {
  return all<SVGGElement>(svg, "g.node").flatMap((element) => {
    const match = /^call(\d+)$/.exec(element.querySelector("title")?.textContent ?? "");
    const call = match ? calls[Number(match[1])] : undefined;
    return call ? [{ element, call, number: Number(match![1]) }] : [];
  });
}

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

/** Fills every call; an empty colour is that of the drawing. */
function fill(nodes: CallNode[], colourOf: (call: Call) => string): void {
  for (const { element, call } of nodes) {
    const shape = element.querySelector<SVGElement>("path, polygon, ellipse");
    if (shape) shape.style.fill = colourOf(call);
  }
}

function colourByTarget(nodes: CallNode[], targets: Targets): void {
  const colours = targetColours(targets);
  fill(nodes, (call) => colours.get(targets.get(call.kernel) ?? "not known")!);
}

function colour(nodes: CallNode[], measure: Measure | ""): void {
  const most = Math.max(1, ...nodes.map((node) => (measure ? magnitude(node.call[measure]) : 0)));
  // From white to a light amber, on which black and red text can be read.
  fill(nodes, (call) =>
    measure ? `hsl(40 95% ${100 - (30 * magnitude(call[measure])) / most}%)` : "");
}

function describe({ element, call, number }: CallNode, prefix: string): void {
  const costs = (Object.keys(MEASURES) as Measure[])
    .map((measure) => `${spelled(call[measure])} ${MEASURES[measure]}`);
  const label = `call ${number}: ${call.layer ?? call.kernel}, ${costs.join(", ")}`;
  element.setAttribute("tabindex", "0");
  element.setAttribute("role", "link");
  element.setAttribute("aria-label", label);
  element.querySelector("title")!.textContent = label;
  const open = (): void => { location.hash = `${prefix}call=${number}`; };
  element.addEventListener("click", (event) => {
    if (!event.defaultPrevented) open();
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter") open();
  });
}

/** Pan with the pointer and the arrow keys, zoom with buttons, + and -, and the wheel with Ctrl. */
function makeMovable(svg: SVGSVGElement, frame: HTMLElement): (change: (box: Box) => Box) => void {
  const view = svg.viewBox.baseVal;
  const update = (change: (box: Box) => Box): void => {
    const { x, y, width, height } = change(view);
    svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  };
  let grabbed: { x: number; y: number } | null = null;
  let hasMoved = false;
  svg.addEventListener("pointerdown", (event) => {
    grabbed = { x: event.clientX, y: event.clientY };
    hasMoved = false;
  });
  // The end of a pan over a node is no click on it.
  svg.addEventListener("click", (event) => {
    if (hasMoved) event.preventDefault();
  }, { capture: true });
  addEventListener("pointerup", () => { grabbed = null; });
  svg.addEventListener("pointermove", (event) => {
    if (!grabbed) return;
    const box = svg.getBoundingClientRect();
    const [byX, byY] = [(grabbed.x - event.clientX) / box.width, (grabbed.y - event.clientY) / box.height];
    if (Math.abs(byX) + Math.abs(byY) === 0) return;
    hasMoved = true;
    grabbed = { x: event.clientX, y: event.clientY };
    update((old) => moved(old, byX, byY));
  });
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    update((old) => zoomed(old, event.deltaY > 0 ? 1.2 : 1 / 1.2));
  }, { passive: false });
  const keys: Record<string, (box: Box) => Box> = {
    ArrowLeft: (box) => moved(box, -0.1, 0), ArrowRight: (box) => moved(box, 0.1, 0),
    ArrowUp: (box) => moved(box, 0, -0.1), ArrowDown: (box) => moved(box, 0, 0.1),
    "+": (box) => zoomed(box, 1 / 1.2), "-": (box) => zoomed(box, 1.2),
  };
  frame.addEventListener("keydown", (event) => {
    const change = event.target === frame ? keys[event.key] : undefined;
    if (!change) return;
    event.preventDefault();
    update(change);
  });
  return update;
}

export function makeExplorable(frame: HTMLElement, module: Module, prefix: string): void {
  const svg = frame.querySelector("svg")!;
  const nodes = callNodes(svg, module.calls);
  const { x, y, width, height } = svg.viewBox.baseVal;
  const whole: Box = { x, y, width, height };
  for (const node of nodes) describe(node, prefix);
  svg.classList.add("movable");
  const update = makeMovable(svg, frame);
  const { width: windowWidth, height: windowHeight } = svg.getBoundingClientRect();
  if (windowWidth > 0) update(() => fitted(whole, windowWidth, windowHeight));

  const targets = targetsOf(module);
  const legend = make("span", { class: "legend", hidden: "" },
    ...[...targetColours(targets)].map(([name, fill]) => {
      const key = make("span", {}, name);
      key.style.backgroundColor = fill;
      return key;
    }));
  const select = make("select", {}, make("option", { value: "" }, "kind"),
    ...Object.entries(MEASURES).map(([value, text]) => make("option", { value }, text)),
    make("option", { value: "target" }, "target"));
  select.addEventListener("change", () => {
    legend.hidden = select.value !== "target";
    if (legend.hidden) colour(nodes, select.value as Measure | "");
    else colourByTarget(nodes, targets);
  });
  select.value = "mac";
  colour(nodes, "mac");

  const search = make("input", { type: "search", placeholder: "kernel or layer" });
  const status = make("span", { role: "status" });
  search.addEventListener("input", () => {
    const found = nodes.filter(({ element, call, number }) => {
      const text = `call ${number} ${call.kernel} ${call.layer ?? ""}`;
      const isFound = search.value !== "" && matches(text, search.value);
      element.classList.toggle("found", isFound);
      return isFound;
    });
    status.textContent = search.value ? `${found.length} of ${nodes.length}` : "";
    if (!found[0]) return;
    // Where it is: from the screen back into the drawing, past the transformation of the graph.
    const box = found[0].element.getBoundingClientRect();
    const matrix = svg.getScreenCTM()?.inverse();
    if (!matrix) return;
    const at = new DOMPoint(box.left + box.width / 2, box.top + box.height / 2).matrixTransform(matrix);
    update((old) => centred(old, at.x, at.y));
  });
  frame.before(make("div", { class: "tools" },
    make("label", {}, "Colour by ", select), legend, make("label", {}, "Find ", search), status,
    button("+", "Larger", () => update((box) => zoomed(box, 1 / 1.2))),
    button("\u2212", "Smaller", () => update((box) => zoomed(box, 1.2))),
    button("All", "The whole network", () => update(() => whole))));
}
