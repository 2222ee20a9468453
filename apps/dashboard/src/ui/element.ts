type Child = Node | string | undefined;

/** Creates an element with attributes and children. Strings become text, never HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string | boolean | undefined>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value === true) made.setAttribute(name, '');
    else if (typeof value === 'string') made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function button(
  text: string,
  kind: 'main' | 'quiet' | 'danger',
  onClick: () => void,
): HTMLButtonElement {
  const made = element('button', { type: 'button', class: `button ${kind}` }, text);
  made.addEventListener('click', onClick);
  return made;
}
