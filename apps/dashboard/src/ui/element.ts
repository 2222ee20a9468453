type Child = Node | string | undefined;

/** Creates an element with attributes and children. Strings become text, never HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string | boolean | undefined>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value === true) created.setAttribute(name, '');
    else if (typeof value === 'string') created.setAttribute(name, value);
  created.append(...children.filter((child) => child !== undefined));
  return created;
}

export function button(
  text: string,
  kind: 'main' | 'quiet' | 'danger',
  onClick: () => void,
): HTMLButtonElement {
  const created = element('button', { type: 'button', class: `button ${kind}` }, text);
  created.addEventListener('click', onClick);
  return created;
}
