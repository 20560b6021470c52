// Memory maps: the user selects a step with the pointer or the arrow keys; a list shows its tensors.
import { aliveAt, covered, fullestStep, type Rectangle } from "./alive.ts";
import { format_count } from "./count.ts";
import { all, make } from "./elements.ts";

const SVG = "http://www.w3.org/2000/svg";

function numberOf(element: Element, name: string): number {
  return Number(element.getAttribute(name));
}

function rectanglesOf(svg: SVGSVGElement): Rectangle[] {
  return all<SVGRectElement>(svg, "rect:not(.shared)").map((rect) => ({
    name: (rect.textContent ?? "").replace(/: [\d,]+ bytes at [\d,]+, steps .*$/, ""),
    // In a plan, a tensor may be live for a part of a step.
    first: Math.floor(numberOf(rect, "x")),
    last: Math.ceil(numberOf(rect, "x") + numberOf(rect, "width") - 0.001) - 1,
    offset: Number(rect.dataset["offset"] ?? 0),
    bytes: Number(rect.dataset["bytes"] ?? numberOf(rect, "height")),
  }));
}

/** The live tensors. In a pool each has a rectangle; elsewhere the title of the only one lists them. */
function linesOf(svg: SVGSVGElement, alive: Rectangle[]): string[] {
  if (svg.classList.contains("places")) {
    return alive.map((one) => `${one.name}: ${format_count(one.bytes)} bytes at ${format_count(one.offset)}`);
  }
  return alive.flatMap((one) => one.name.split("\n").slice(1));
}

/** The call at each step; "-" for a step without a call. */
function callsOf(figure: HTMLElement): string[] {
  return (figure.dataset["calls"] ?? "").split(" ");
}

/** The call at a step as a link, or the number of the step. */
function placeOf(calls: string[], prefix: string, step: number): Node | string {
  const call = calls[step];
  if (!call || call === "-") return `step ${step}`;
  return make("a", { href: `#${prefix}call=${call}` }, `call ${call}`);
}

/** A map that shows a step. */
export interface MemoryMap {
  /** The number of steps of a run. */
  steps: number;
  /** The step of the call with this number; null if there is none. */
  stepOf(call: number): number | null;
  show(step: number): void;
}

/** Calls `moved` with each step that the user selects. */
export function makeExplorable(
  figure: HTMLElement, prefix: string, moved: (step: number) => void,
): MemoryMap {
  const calls = callsOf(figure);
  const svg = figure.querySelector<SVGSVGElement>(".plot svg")!;
  const steps = svg.viewBox.baseVal.width;
  const rectangles = rectanglesOf(svg);
  const cursor = document.createElementNS(SVG, "line");
  cursor.setAttribute("class", "cursor");
  cursor.setAttribute("y2", String(svg.viewBox.baseVal.height));
  const slider = make("input", {
    type: "range", min: "0", max: String(steps - 1), value: "0",
    "aria-label": `Step of ${figure.querySelector("figcaption")!.textContent}`,
  });
  const readout = make("div", { class: "readout", role: "status" });

  const show = (step: number): void => {
    slider.value = String(step);
    cursor.setAttribute("x1", String(step + 0.5));
    cursor.setAttribute("x2", String(step + 0.5));
    if (!cursor.parentNode) svg.append(cursor);
    const alive = aliveAt(rectangles, step);
    const shared = alive.reduce((sum, one) => sum + one.bytes, 0) - covered(alive);
    const words = shared > 0 ? `; tensors share ${format_count(shared)} bytes, which count once` : "";
    const list = make("ul", {}, ...linesOf(svg, alive).map((line) => make("li", {}, line)));
    readout.replaceChildren(
      make("p", {}, "At ", placeOf(calls, prefix, step), `: ${format_count(covered(alive))} bytes in use${words}`), list);
  };
  const choose = (step: number): void => {
    // Screen readers announce only this map, not the others.
    readout.setAttribute("aria-live", "polite");
    show(step);
    moved(step);
  };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const step = Math.floor(((event.clientX - box.left) / box.width) * steps);
    choose(Math.max(0, Math.min(steps - 1, step)));
  });
  slider.addEventListener("input", () => choose(Number(slider.value)));
  slider.style.setProperty("--steps", String(steps));
  const plot = figure.querySelector(".plot")!;
  plot.append(slider);
  plot.after(readout);
  show(fullestStep(rectangles));
  return {
    steps,
    stepOf: (call) => {
      const step = calls.indexOf(String(call));
      return step < 0 ? null : step;
    },
    show: (step) => {
      readout.setAttribute("aria-live", "off");
      show(step);
    },
  };
}

/** Maps of one run, which all show the same step. Returns a function that shows the step of the call
 *  with a given number. */
export function makeAllExplorable(figures: HTMLElement[], prefix: string): (call: number) => void {
  const maps: MemoryMap[] = figures.map((figure, i) => makeExplorable(figure, prefix, (step) => {
    // Two builds may have different numbers of steps.
    const { steps } = maps[i]!;
    for (const other of maps) {
      if (other !== maps[i] && other.steps === steps) other.show(step);
    }
  }));
  return (call) => {
    for (const map of maps) {
      const step = map.stepOf(call);
      if (step !== null) map.show(step);
    }
  };
}
