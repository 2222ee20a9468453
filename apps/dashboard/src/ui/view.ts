import { element } from './element.ts';

export interface View {
  title: string;
  /** Selects the symbol above the title */
  tone?: 'plain' | 'good' | 'bad' | 'busy';
  parts: readonly (Node | undefined)[];
}

/** Replaces the content of the page and moves the focus to its title, so that screen readers announce it. */
export function show({ title, tone = 'plain', parts }: View): void {
  const heading = element('h1', { tabindex: '-1' }, title);
  const card = element(
    'section',
    { class: `card ${tone}` },
    element('span', { class: 'sign', 'aria-hidden': 'true' }),
    heading,
    ...parts.filter((part) => part !== undefined),
  );
  document.title = `${title} · memrelay`;
  document.querySelector('main')!.replaceChildren(card);
  heading.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

export function paragraph(...children: readonly (Node | string)[]): HTMLElement {
  return element('p', {}, ...children);
}

export function actions(...buttons: readonly (Node | undefined)[]): HTMLElement {
  return element('div', { class: 'actions' }, ...buttons);
}

/** A list of names and values, e.g. wallet and account. */
export function facts(rows: readonly (readonly [name: string, value: Node | string])[]): HTMLElement {
  return element(
    'dl',
    { class: 'facts' },
    ...rows.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  );
}
