import { expect, it } from 'vitest';
import { withToast } from '../src/parts/toast-list.ts';

interface Toast {
  id: string;
  title: string;
  windowMs?: number;
}

const toast = (id: string, more: Partial<Toast> = {}): Toast => ({ id, title: id, ...more });
const undoable = { windowMs: 8_000 };
const shown = (...toasts: Toast[]): string[] =>
  toasts.reduce<readonly Toast[]>(withToast, []).map(({ id, title }) => `${id} ${title}`);

it('keeps the newest three toasts, and replaces one with the same id in its place', () => {
  expect(shown(toast('a'), toast('b'), toast('c'), toast('d'))).toEqual(['b b', 'c c', 'd d']);
  expect(shown(toast('a'), toast('b'), toast('a', { title: 'done' }))).toEqual(['a done', 'b b']);
});

it('never drops a toast that can still be undone', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => toast(id, undoable));
  expect(shown(a!, toast('1'), toast('2'), toast('3'), toast('4'))).toEqual(['a a', '3 3', '4 4']);
  expect(shown(a!, b!, c!, toast('1'), d!)).toEqual(['a a', 'b b', 'c c', 'd d']);
  // Once the window is over, it is dropped like any other
  expect(shown(a!, toast('1'), toast('a'), toast('2'), toast('3'))).toEqual(['1 1', '2 2', '3 3']);
});
