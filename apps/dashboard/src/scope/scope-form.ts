import { element } from '../ui/element.ts';
import { type NamesProblem, namespaceNames } from './namespace-names.ts';
import { permissions, type ScopeChoice } from './scope-choice.ts';

export interface ScopeForm {
  node: HTMLElement;
  /** The choice; undefined after showing the problem next to the field */
  read(): ScopeChoice | undefined;
}

export interface ScopeFormOptions {
  /** Sum of the `permissions` ticked initially */
  perms: number;
  /** Lifetime selected initially, days */
  days: number;
  /** If set, longer and unlimited lifetimes are not offered */
  maxDays?: number;
}

const dayMs = 86_400_000;

const namesProblems: Readonly<Record<NamesProblem, string>> = {
  none: 'Enter at least one namespace, or choose all namespaces.',
  'too-many': 'You can choose at most 16 namespaces.',
  malformed: 'A namespace must have at most 128 characters and no control characters.',
  invisible: 'Namespaces must not contain bidirectional controls or zero-width characters.',
};

const rights = [
  ['read', 'Recall', 'find and read memories'],
  ['write', 'Save', 'store new memories'],
  ['forget', 'Forget', 'delete memories permanently'],
] as const;

const ends = [
  [1, 'for one day'],
  [30, 'for 30 days'],
  [90, 'for 90 days'],
  [365, 'for one year'],
  [undefined, 'until I revoke it'],
] as const;

/** Form for what a key may do, where, and for how long. Used by every page that grants access. */
export function scopeForm(options: ScopeFormOptions): ScopeForm {
  const problem = element('p', { class: 'problem', role: 'alert', hidden: true });
  const boxes = rights.map(([right]) =>
    element('input', {
      type: 'checkbox',
      id: `may-${right}`,
      checked: (options.perms & permissions[right]) !== 0,
    }),
  );
  const all = element('input', { type: 'radio', name: 'where', id: 'where-all', checked: true });
  const onlyListed = element('input', { type: 'radio', name: 'where', id: 'where-chosen' });
  const names = element('textarea', {
    id: 'namespaces',
    rows: '3',
    placeholder: 'default\nwork',
    spellcheck: 'false',
    'aria-label': 'Namespaces, one per line',
  });
  const namesBox = element(
    'div',
    { class: 'names', hidden: true },
    names,
    element('p', { class: 'hint' }, 'One per line, spelled exactly as in the tool.'),
  );
  const until = element('select', { id: 'until' });
  for (const [days, text] of ends)
    if (options.maxDays === undefined || (days !== undefined && days <= options.maxDays))
      until.append(new Option(text, String(days ?? ''), days === options.days, days === options.days));
  for (const radio of [all, onlyListed])
    radio.addEventListener('change', () => {
      namesBox.hidden = !onlyListed.checked;
      if (onlyListed.checked) names.focus();
    });

  const node = element(
    'div',
    { class: 'scope' },
    element(
      'fieldset',
      {},
      element('legend', {}, 'It may'),
      ...rights.map(([right, name, meaning], i) =>
        element(
          'label',
          { class: 'choice', for: `may-${right}` },
          boxes[i],
          element('span', {}, element('strong', {}, name), ` ${meaning}`),
        ),
      ),
    ),
    element(
      'fieldset',
      {},
      element('legend', {}, 'In'),
      element('label', { class: 'choice', for: 'where-all' }, all, element('span', {}, 'all namespaces')),
      element(
        'label',
        { class: 'choice', for: 'where-chosen' },
        onlyListed,
        element('span', {}, 'only these'),
      ),
      namesBox,
    ),
    element('label', { class: 'until', for: 'until' }, element('span', {}, 'How long'), until),
    problem,
  );
  const refuse = (text: string, field: HTMLElement): undefined => {
    problem.textContent = text;
    problem.hidden = false;
    field.focus();
  };
  return {
    node,
    read() {
      problem.hidden = true;
      const perms = rights.reduce((sum, [right], i) => sum + (boxes[i]!.checked ? permissions[right] : 0), 0);
      if (perms === 0) return refuse('Choose at least one permission.', boxes[0]!);
      const namespaces = onlyListed.checked ? namespaceNames(names.value) : undefined;
      if (namespaces && 'problem' in namespaces) return refuse(namesProblems[namespaces.problem], names);
      const expiresAt = until.value === '' ? undefined : Date.now() + Number(until.value) * dayMs;
      return { perms, namespaces, expiresAt };
    },
  };
}
