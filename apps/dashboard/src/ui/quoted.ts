import { element } from './element.ts';
import { harmless } from './harmless-text.ts';

/** Untrusted text as a quotation, isolated from the direction of the surrounding text. */
export function quoted(text: string, max?: number): HTMLElement {
  return element('bdi', { class: 'quoted' }, harmless(text, max));
}

/** An address or id, shortened in the middle; the tooltip has all of it. */
export function shortId(id: string): HTMLElement {
  return element('code', { class: 'id', title: id }, `${id.slice(0, 8)}…${id.slice(-6)}`);
}
