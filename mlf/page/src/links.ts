// Links into the page: opens, shows, marks and focuses the target.

function target(): HTMLElement | null {
  const raw = location.hash.slice(1);
  let id = raw;
  try {
    id = decodeURIComponent(raw);
  } catch {
    // The id contains a per cent sign.
  }
  return document.getElementById(raw) ?? document.getElementById(id);
}

/** Called with the target of a link. */
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

/** Also follows the current link again, for which the browser sends no event. */
export function followLinks(arrived: Arrived): void {
  const again = (): void => follow(arrived);
  addEventListener("hashchange", again);
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a");
    if (link?.hash && link.hash === location.hash) again();
  });
  again();
  // After loading, the browser follows the link itself and moves the focus.
  addEventListener("load", () => requestAnimationFrame(again));
}
