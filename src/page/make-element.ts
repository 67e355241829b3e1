type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | undefined;

const svgNamespace = 'http://www.w3.org/2000/svg';

/** An HTML element. Texts become text nodes and never markup. */
export function html<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return withContent(document.createElement(tag), attributes, children);
}

/** An element of a picture. */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  return withContent(document.createElementNS(svgNamespace, tag), attributes, children);
}

function withContent<E extends Element>(
  element: E,
  attributes: Attributes,
  children: readonly Child[],
): E {
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** `false` and undefined take an attribute away; `true` is there without a value. */
export function setAttribute(
  element: Element,
  name: string,
  value: string | number | boolean | undefined,
): void {
  if (value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : String(value));
}

export function button(text: string, attributes: Attributes, act: () => void): HTMLButtonElement {
  const made = html('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', act);
  return made;
}
