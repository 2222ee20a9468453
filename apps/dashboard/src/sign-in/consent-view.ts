import { permissions, type ScopeChoice } from '../scope/scope-choice.ts';
import { scopeForm } from '../scope/scope-form.ts';
import { button, element } from '../ui/element.ts';
import { quoted, shortId } from '../ui/quoted.ts';
import { actions, facts, paragraph, show } from '../ui/view.ts';
import type { OwnerWallet } from '../wallet/owner-wallet.ts';
import type { WalletState } from '../wallet/wallet-api.ts';

export interface Consent {
  wallet: OwnerWallet;
  state: WalletState;
  /** What the tool calls itself */
  label: string;
  /** Where the tool will send memories to */
  relayerUrl: string;
  /** What the user has to confirm before anything is registered, besides a relayer that is not of this computer */
  confirmations: readonly Confirmation[];
  /** More rows of the table */
  more?: readonly (readonly [name: string, value: Node | string])[];
  /** How the tool gets its key */
  delivery: string;
  onAllow: (choice: ScopeChoice) => void;
}

/** A statement that the user ticks. */
export interface Confirmation {
  /** Of the checkbox */
  id: string;
  /** Shown above it */
  about: readonly Node[];
  statement: Node | string;
}

/** What the tool's tools need; deleting is for the person to add. */
const usualRights = permissions.read + permissions.write;
const usualDays = 90;

/** Asks whether the tool may have a key. */
export function showConsent(consent: Consent): void {
  const { wallet, state, label, delivery, onAllow } = consent;
  const form = scopeForm({ perms: usualRights, days: usualDays });
  // As browsers write it: letters that look like others are spelt out
  const relayer = new URL(consent.relayerUrl).href.replace(/\/$/, '');
  const asked = [
    ...consent.confirmations,
    ...(isSameRelayer(consent.relayerUrl, state.relayerUrl) ? [] : [foreignRelayer(relayer)]),
  ];
  const boxes = asked.map(({ id }) => element('input', { type: 'checkbox', id }));
  const allow = button('Connect', 'main', () => {
    const choice = form.read();
    if (choice) onAllow(choice);
  });
  allow.disabled = true;
  for (const box of boxes)
    box.addEventListener('change', () => {
      allow.disabled = !boxes.every(({ checked }) => checked);
    });
  show({
    title: 'Give this tool a key to your memories?',
    parts: [
      element(
        'div',
        { class: 'asker' },
        element('span', { class: 'name' }, quoted(label, 60)),
        element('p', {}, 'This is what the tool calls itself. Go on only if you have just started it.'),
      ),
      ...asked.map(({ id, about, statement }, i) =>
        element(
          'div',
          { class: 'note', role: 'note' },
          ...about,
          element('label', { class: 'choice', for: id }, boxes[i], element('span', {}, statement)),
        ),
      ),
      facts([
        ['Wallet', shortId(state.address)],
        ['Account', state.account ? shortId(state.account.id) : 'will be made now, in the same step'],
        ['Relayer', quoted(relayer, 100)],
        ...(consent.more ?? []),
      ]),
      form.node,
      element(
        'p',
        { class: 'small' },
        delivery,
        ` ${wallet.name[0]!.toUpperCase()}${wallet.name.slice(1)} registers it on chain. You can revoke it at any time on `,
        element('a', { href: '/' }, 'the page of your keys'),
        '; what it has read until then, it has read.',
      ),
      actions(allow),
      element('p', { class: 'small after' }, 'To refuse, close this page: nothing was changed.'),
    ],
  });
}

/** The user compares the code with the one that the tool shows: a link of another tool has another code. */
export function sameCode(code: string): Confirmation {
  return {
    id: 'same-code',
    about: [
      paragraph('Compare this code with the one that your tool shows:'),
      element('p', { class: 'code', 'aria-label': 'Sign-in code' }, code),
      paragraph('If the tool shows another code, or none, close this page: the link is not of your tool.'),
    ],
    statement: 'My tool shows the same code',
  };
}

/** Of a link in query form: there is no code to compare, and the page cannot tell who made the key. */
export function olderForm(label: string): Confirmation {
  return {
    id: 'older-form',
    about: [
      paragraph(
        element('strong', {}, 'This link has an older form, which protects less.'),
        ' The program that made it holds the key already, this page cannot check which program that is, and the link does not expire. Anyone who made you open this page gets what you grant.',
      ),
      paragraph('If your tool can sign in with a link of memrelay, use that instead.'),
    ],
    statement: element(
      'span',
      {},
      'I have just started the sign-in of ',
      quoted(label, 60),
      ' on this computer myself',
    ),
  };
}

function foreignRelayer(url: string): Confirmation {
  return {
    id: 'sure',
    about: [
      paragraph(
        'The tool will send your memories to ',
        quoted(url, 100),
        ', which is not the relayer of this computer. Anyone who runs it can read what passes through.',
      ),
    ],
    statement: 'I know this relayer and trust it',
  };
}

/** `localhost` and `127.0.0.1` are the same place. */
function isSameRelayer(asked: string, own: string): boolean {
  const place = (text: string): string => {
    const { protocol, hostname, port } = new URL(text);
    return `${protocol}//${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}`;
  };
  return place(asked) === place(own);
}
