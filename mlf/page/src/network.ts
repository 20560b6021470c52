// The network: shows one of its drawings, with colours by cost, target or change, and a search. Boxes
// are links to the calls.
import { magnitude } from "./count.ts";
import {
  costOf, Drawing, MEASURES, measuresOf, textOf, type CallBox, type Measure, type Subject,
} from "./drawing.ts";
import { all, button, make } from "./elements.ts";
import { matches } from "./order.ts";
import type { Module } from "./report.ts";

/** A word for each call, such as its target, and a colour of the style sheet for each word. */
interface Words {
  ofCall(box: CallBox, nth: number): string;
  colours: Map<string, string>;
}

/** A drawing, and what its boxes can be coloured by. */
interface View {
  drawing: Drawing;
  measures: Measure[];
  words: Map<string, Words>;
}

// What a profile has, the most exact first.
const TIMES: Measure[] = ["instructions", "cycles", "nanoseconds"];

// Those of the colours in the style sheet that targets have.
const COLOURS = 6;
const CHANGE_COLOURS = new Map([
  ["changed", "colour1"], ["rescheduled", "colour0"], ["moved", "colour3"], ["added", "colour2"], ["removed", "colour4"],
  ["constants", "colour5"], ["timing", "colour6"],
]);

/** The kind of target that the kernel of each call was compiled for. Further kinds share the last
 *  colour. */
function targetsOf(module: Module): Words {
  const targets = new Map(module.kernels.map((one) => [one.symbol, one.target ?? "unknown"]));
  const names = [...new Set(targets.values())].sort();
  return {
    ofCall: (box, nth) => targets.get(box.calls[nth]!.kernel) ?? "unknown",
    colours: new Map(names.map((name, i) => [name, `colour${Math.min(i, COLOURS - 1)}`])),
  };
}

/** On pages of two builds: the change of each kernel; "-" for none. */
function changesOf(frame: HTMLElement): Words | null {
  const changes = frame.dataset["changes"]?.split(" ");
  if (!changes) return null;
  const colours = [...CHANGE_COLOURS].filter(([change]) => changes.includes(change));
  return { ofCall: (box, nth) => changes[box.first + nth] ?? "-", colours: new Map(colours) };
}

/** A repeated box whose calls have different words gets no colour. */
function colourByWords(drawing: Drawing, words: Words): void {
  drawing.fill((box) => {
    const its = new Set(box.calls.map((_, nth) => words.ofCall(box, nth)));
    return (its.size === 1 && words.colours.get([...its][0]!)) || "none";
  });
}

function magnitudeOf(box: CallBox, measure: Measure): number {
  return Math.max(0, magnitude(costOf(box, measure)));
}

function largestOf(drawing: Drawing, measure: Measure): number {
  return drawing.boxes.reduce((most, box) => Math.max(most, magnitudeOf(box, measure)), 0);
}

function colourByCost(drawing: Drawing, measure: Measure): void {
  const most = Math.max(1, largestOf(drawing, measure));
  drawing.fill((box) => magnitudeOf(box, measure) / most);
}

/** Zero and the largest cost, each on its colour. */
function scaleOf(drawing: Drawing, measure: Measure): HTMLElement[] {
  const most = largestOf(drawing, measure);
  if (most === 0) return [];
  const end = (heat: number, text: string): HTMLElement => {
    const element = make("span", { "data-paint": "heat" }, text);
    element.style.setProperty("--heat", String(heat));
    return element;
  };
  return [end(0, "0"), end(1, textOf(measure, most))];
}

/** What the colours of the boxes mean. */
function legendOf({ drawing, words }: View, by: string): HTMLElement[] {
  if (by in MEASURES) return scaleOf(drawing, by as Measure);
  return [...words.get(by)?.colours ?? []]
    .map(([name, paint]) => make("span", { "data-paint": paint }, name));
}

function colour({ drawing, words }: View, by: string): void {
  const its = words.get(by);
  if (its) colourByWords(drawing, its);
  else if (by in MEASURES) colourByCost(drawing, by as Measure);
  else drawing.fill(() => null);
}

/** Finds boxes with a call whose number, kernel and layer contain every word of the search. */
function find(drawing: Drawing, words: string): CallBox[] {
  return drawing.boxes.filter((box) => {
    const isFound = words !== "" && box.calls.some((call, i) =>
      matches(`call ${box.first + i} ${call.kernel} ${call.layer ?? ""}`, words));
    box.element.classList.toggle("found", isFound);
    return isFound;
  });
}

function viewOf(frame: HTMLElement, module: Module, subject: Subject): View {
  const words = new Map<string, Words>();
  const changes = changesOf(frame);
  if (changes) words.set("change", changes);
  words.set("target", targetsOf(module));
  return { drawing: new Drawing(frame, subject), measures: measuresOf(subject.calls), words };
}

function makeSelect(view: View): HTMLSelectElement {
  const option = (value: string, text = value): HTMLElement => make("option", { value }, text);
  return make("select", {}, option("", "kind of box"),
    ...view.measures.map((measure) => option(measure, MEASURES[measure])),
    ...[...view.words.keys()].map((name) => option(name)));
}

/** Shows one of the drawings, with tools before the section. Returns a function that marks the box of
 *  the call with a given number. */
export function makeExplorable(
  section: HTMLElement, moduleOf: (frame: HTMLElement) => Module,
  linkOf: (frame: HTMLElement, call: number) => string | null,
): (call: number) => void {
  let other = "";
  const views = all<HTMLElement>(section, ".network").map((frame) => {
    // Without a script, the second drawing is collapsed below the first. The script shows one of them.
    const details = frame.closest("details");
    if (details) {
      other = details.querySelector("summary")!.textContent!;
      details.replaceWith(frame);
      frame.hidden = true;
    }
    const module = moduleOf(frame);
    return viewOf(frame, module, { calls: module.calls, linkOf: (call) => linkOf(frame, call) });
  });
  let [shown] = views as [View, ...View[]];
  shown.drawing.fit();

  const legend = make("span", { class: "legend" });
  const select = makeSelect(shown);
  const paint = (): void => {
    const entries = legendOf(shown, select.value);
    legend.replaceChildren(...entries);
    legend.hidden = entries.length === 0;
    colour(shown, select.value);
  };
  select.addEventListener("change", paint);
  const times = shown.measures.filter((measure) => TIMES.includes(measure));
  select.value = shown.words.has("change") ? "change" : times[0] ?? "mac";
  paint();

  const search = make("input", { type: "search", placeholder: "kernel or layer" });
  const status = make("span", { role: "status" });
  const look = (): void => {
    const { drawing } = shown;
    const found = find(drawing, search.value);
    status.textContent = search.value ? `${found.length} of ${drawing.boxes.length}` : "";
    if (found[0]) drawing.centre(found[0]);
  };
  search.addEventListener("input", look);

  const tools = make("div", { class: "tools" },
    make("label", {}, "Colour by ", select), legend, make("label", {}, "Find ", search), status,
    make("span", { class: "zoom" },
      button("+", "Zoom in", () => shown.drawing.zoom(true)),
      button("\u2212", "Zoom out", () => shown.drawing.zoom(false)),
      button("Fit", "Show the whole network", () => shown.drawing.showAll())));
  if (views[1]) {
    const [first, second] = views as [View, View];
    const choice = make("input", { type: "checkbox" });
    choice.addEventListener("change", () => {
      shown.drawing.frame.hidden = true;
      shown = choice.checked ? second : first;
      shown.drawing.frame.hidden = false;
      shown.drawing.fit();
      paint();
      look();
    });
    tools.prepend(make("label", {}, choice, ` ${other}`));
  }
  section.before(tools);
  return (call) => {
    for (const { drawing } of views) drawing.mark(call);
  };
}
