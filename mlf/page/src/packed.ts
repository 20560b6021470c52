// Large pages have their parts compressed (src/page/packed.h): base64 of gzip, with a NUL behind each.

/** The markup of parts, by the note that is in the place of each. */
export type Parts = Map<Element, string>;

/** Fails in browsers that cannot decompress. */
export async function unpack(packed: Element): Promise<Parts> {
  const bytes = Uint8Array.from(atob(packed.textContent!), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const markup = (await new Response(stream).text()).split("\0");
  packed.remove();
  return new Map(Array.from(document.querySelectorAll("[data-part]"), (note, i) => [note, markup[i]!]));
}

/** Returns whether there is such a part that was not shown yet. */
export function show(parts: Parts, note: Element): boolean {
  const markup = parts.get(note);
  if (markup === undefined) return false;
  parts.delete(note);
  note.outerHTML = markup;
  return true;
}

/** With more kernels, a browser takes too long to make the elements, 60 for each. */
const MOST_KERNELS = 300;

/** Shows everything but closed kernels where these are many. */
export function showFirst(parts: Parts): void {
  const areMany = document.querySelectorAll("details.kernel").length > MOST_KERNELS;
  for (const note of [...parts.keys()]) {
    if (!areMany || !note.matches("details.kernel:not([open]) > *")) show(parts, note);
  }
}
