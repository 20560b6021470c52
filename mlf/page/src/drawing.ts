// One drawing of the network: its boxes, with pan and zoom. Pan scrolls the frame, so the browser need
// not draw large drawings again.
import { magnitude, format_count, milliseconds, total } from "./count.ts";
import { all } from "./elements.ts";
import type { Call, Count } from "./report.ts";

/** The drawn calls, and the links of their boxes. */
export interface Subject {
  calls: Call[];
  /** The part of the page about a call; null if there is none. */
  linkOf(call: number): string | null;
}

export const MEASURES = {
  mac: "MAC", live: "bytes in use", loaded: "bytes loaded", parameters: "bytes of constants",
  instructions: "instructions", cycles: "cycles", nanoseconds: "ms",
} as const;
export type Measure = keyof typeof MEASURES;

/** "320,000 MAC", "1.250 ms" */
export function textOf(measure: Measure, count: Count): string {
  const text = measure === "nanoseconds" ? format_count(count, milliseconds) : format_count(count);
  return `${text} ${MEASURES[measure]}`;
}

/** Those that a call has a number of. Without a profile, none has times. */
export function measuresOf(calls: Call[]): Measure[] {
  return (Object.keys(MEASURES) as Measure[])
    .filter((measure) => calls.some((call) => (call[measure] ?? null) !== null));
}

const ZOOM_STEP = 1.2;
// The limits of the zoom: pixels for each point of the drawing.
const SCALES = { least: 0.05, most: 8 };

/** A box: a call, or a repeated part of several calls. */
export interface CallBox {
  element: SVGGElement;
  calls: Call[];
  first: number;
}

/** Graphviz writes the name of a node ("call3", "calls3to8") into its title. */
function callBoxes(svg: SVGSVGElement, calls: Call[]): CallBox[] {
  return all<SVGGElement>(svg, "g.node").flatMap((element) => {
    const title = element.querySelector("title")?.textContent ?? "";
    const match = /^calls?(\d+)(?:to(\d+))?$/.exec(title);
    if (!match) return [];
    const first = Number(match[1]);
    const its = calls.slice(first, Number(match[2] ?? first) + 1);
    return its.length ? [{ element, calls: its, first }] : [];
  });
}

/** Adds the costs of the box's calls; for bytes in use, takes the largest. */
export function costOf(box: CallBox, measure: Measure): Count {
  const counts = box.calls.map((call) => call[measure] ?? null);
  if (measure !== "live") return total(counts);
  return counts.reduce((most, count) => (magnitude(count) > magnitude(most) ? count : most));
}

function labelOf(box: CallBox): string {
  const costs = measuresOf(box.calls)
    .map((measure) => textOf(measure, costOf(box, measure))).join(", ");
  const names = [...new Set(box.calls.map((call) => call.layer ?? call.kernel))].join(", ");
  const last = box.first + box.calls.length - 1;
  const place = last === box.first ? `call ${box.first}` : `calls ${box.first} to ${last}`;
  return `${place}: ${names}, ${costs}`;
}

/** Heat from 0 to 1, the name of a colour, or null: the drawing's own colour. */
export type Paint = number | string | null;

export class Drawing {
  readonly boxes: CallBox[];
  private readonly svg: SVGSVGElement;
  private readonly width: number;
  private readonly height: number;
  private scale = 1;

  constructor(readonly frame: HTMLElement, private readonly subject: Subject) {
    this.svg = frame.querySelector("svg")!;
    this.boxes = callBoxes(this.svg, subject.calls);
    ({ width: this.width, height: this.height } = this.svg.viewBox.baseVal);
    for (const box of this.boxes) this.describe(box);
    frame.classList.add("movable");
    this.panWithMouse();
    this.zoomWithWheelAndKeys();
  }

  /** Shows the whole width, and as much from the top as stays legible; enlarges small drawings. */
  fit(): void {
    const { clientWidth, clientHeight } = this.frame;
    const high = Math.min(Math.max(this.height / clientHeight, 0.7), 1);
    this.setScale(1 / Math.max(this.width / clientWidth, high));
    this.frame.scrollTo(0, 0);
  }

  showAll(): void {
    const { clientWidth, clientHeight } = this.frame;
    this.setScale(Math.min(clientWidth / this.width, clientHeight / this.height));
  }

  /** Zooms around the middle of the frame. */
  zoom(larger: boolean): void {
    const { frame } = this;
    const middle = (scroll: number, client: number, all: number): number =>
      (scroll + client / 2) / Math.max(all, 1);
    const x = middle(frame.scrollLeft, frame.clientWidth, frame.scrollWidth);
    const y = middle(frame.scrollTop, frame.clientHeight, frame.scrollHeight);
    this.setScale(this.scale * (larger ? ZOOM_STEP : 1 / ZOOM_STEP));
    frame.scrollTo(x * frame.scrollWidth - frame.clientWidth / 2,
                   y * frame.scrollHeight - frame.clientHeight / 2);
  }

  centre(box: CallBox): void {
    const [at, window] = [box.element.getBoundingClientRect(), this.frame.getBoundingClientRect()];
    this.frame.scrollBy(at.left + at.width / 2 - window.left - window.width / 2,
                        at.top + at.height / 2 - window.top - window.height / 2);
  }

  /** Marks the box of a call, and scrolls it to the middle. */
  mark(call: number): void {
    for (const box of this.boxes) {
      const isIt = box.first <= call && call < box.first + box.calls.length;
      box.element.classList.toggle("current", isIt);
      if (isIt) this.centre(box);
    }
  }

  /** Fills every box. The style sheet has the colours, because they depend on the background. */
  fill(paintOf: (box: CallBox) => Paint): void {
    for (const box of this.boxes) {
      const { style, dataset } = box.element;
      const paint = paintOf(box);
      delete dataset["paint"];
      if (typeof paint === "string") dataset["paint"] = paint;
      if (typeof paint === "number") {
        dataset["paint"] = "heat";
        style.setProperty("--heat", String(paint));
      }
    }
  }

  private setScale(scale: number): void {
    this.scale = Math.min(Math.max(scale, SCALES.least), SCALES.most);
    this.svg.style.width = `${this.width * this.scale}px`;
    this.svg.style.height = `${this.height * this.scale}px`;
  }

  private describe(box: CallBox): void {
    const { element } = box;
    const label = labelOf(box);
    element.setAttribute("aria-label", label);
    element.querySelector("title")!.textContent = label;
    const link = this.subject.linkOf(box.first);
    element.setAttribute("role", link === null ? "img" : "link");
    if (link === null) return;
    element.setAttribute("tabindex", "0");
    const open = (): void => { location.hash = link; };
    element.addEventListener("click", (event) => {
      if (!event.defaultPrevented) open();
    });
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      open();
      // The rest of the press would go to the summary that gets the focus, and close it again.
      event.preventDefault();
    });
  }

  // The browser scrolls with touch.
  private panWithMouse(): void {
    let grabbed: { x: number; y: number } | null = null;
    let hasMoved = false;
    this.frame.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button !== 0) return;
      grabbed = { x: event.clientX, y: event.clientY };
      hasMoved = false;
    });
    addEventListener("pointermove", (event) => {
      if (!grabbed) return;
      const [byX, byY] = [grabbed.x - event.clientX, grabbed.y - event.clientY];
      if (byX === 0 && byY === 0) return;
      hasMoved = true;
      grabbed = { x: event.clientX, y: event.clientY };
      this.frame.scrollBy(byX, byY);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => { grabbed = null; });
    }
    // The end of a pan over a box is not a click.
    this.svg.addEventListener("click", (event) => {
      if (hasMoved) event.preventDefault();
    }, { capture: true });
  }

  private zoomWithWheelAndKeys(): void {
    this.frame.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0);
    }, { passive: false });
    // The browser scrolls with arrow keys.
    this.frame.addEventListener("keydown", (event) => {
      if (event.target !== this.frame || (event.key !== "+" && event.key !== "-")) return;
      event.preventDefault();
      this.zoom(event.key === "+");
    });
  }
}
