// Links into the page: what they lead to is open, in sight, marked and has the focus.

function target(): HTMLElement | null {
  const raw = location.hash.slice(1);
  let id = raw;
  try {
    id = decodeURIComponent(raw);
  } catch {
    // A per cent sign of its own.
  }
  return document.getElementById(raw) ?? document.getElementById(id);
}

/** Told of what a link has led to. */
export type Arrived = (target: HTMLElement) => void;

function follow(arrived: Arrived): void {
  const element = target();
  if (!element) return;
  for (const marked of document.querySelectorAll(".target")) marked.classList.remove("target");
  element.classList.add("target");
  // A filter may hide the row.
  if (element instanceof HTMLTableRowElement) element.hidden = false;
  if (element instanceof HTMLDetailsElement) element.open = true;
  const focus = element.querySelector<HTMLElement>("summary, a") ?? element;
  focus.focus({ preventScroll: true });
  arrived(element);
  element.scrollIntoView({ block: "start" });
}

/** Also for a link that was followed before, of which the browser says nothing. */
export function followLinks(arrived: Arrived): void {
  const again = (): void => follow(arrived);
  addEventListener("hashchange", again);
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a");
    if (link?.hash && link.hash === location.hash) again();
  });
  again();
  // The browser follows the link itself once all is loaded, and takes the focus away.
  addEventListener("load", () => requestAnimationFrame(again));
}
