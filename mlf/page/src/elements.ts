// Makes elements.

type Attributes = Record<string, string>;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Makes a button that does not submit a form. */
export function button(text: string, label: string, action: () => void): HTMLButtonElement {
  const element = make("button", { type: "button", "aria-label": label, title: label }, text);
  element.addEventListener("click", action);
  return element;
}

export function all<T extends Element>(root: ParentNode, selector: string): T[] {
  return Array.from(root.querySelectorAll<T>(selector));
}
