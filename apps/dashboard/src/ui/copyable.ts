import { element } from './element.ts';

/** A text to copy, e.g. a command, with a copy button that confirms. */
export function copyable(text: string, label: string): HTMLElement {
  const field = element('textarea', { class: 'copyable', readonly: true, rows: '7', 'aria-label': label });
  field.value = text;
  field.addEventListener('focus', () => field.select());
  const status = element('span', { class: 'said', role: 'status' });
  const copy = element('button', { type: 'button', class: 'button quiet' }, 'Copy');
  copy.addEventListener('click', async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = 'Copied';
    } catch {
      status.textContent = 'Press Ctrl+C (⌘C) to copy';
    }
  });
  return element('div', { class: 'copy-box' }, field, element('div', { class: 'copy-row' }, copy, status));
}
