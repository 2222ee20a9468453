import { element } from './element.ts';
import { harmless } from './harmless-text.ts';

/** Somebody's text as a quotation: kept to itself, whatever direction it is written in. */
export function quoted(text: string, max?: number): HTMLElement {
  return element('bdi', { class: 'quoted' }, harmless(text, max));
}

/** An address or id, cut in its middle for the eye; the whole of it for whoever points at it or copies. */
export function shortId(id: string): HTMLElement {
  return element('code', { class: 'id', title: id }, `${id.slice(0, 8)}…${id.slice(-6)}`);
}
