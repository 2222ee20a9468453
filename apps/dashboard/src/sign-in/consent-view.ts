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
  /** Name that the tool gives itself */
  label: string;
  /** The relayer that the tool will use */
  relayerUrl: string;
  /** What the user must confirm before anything is registered, in addition to a relayer that is not this computer's */
  confirmations: readonly Confirmation[];
  /** More rows of the table */
  more?: readonly (readonly [name: string, value: Node | string])[];
  /** How the tool gets its key */
  delivery: string;
  onAllow: (choice: ScopeChoice) => void;
}

/** A statement that the user must tick. */
export interface Confirmation {
  /** Id of the checkbox */
  id: string;
  /** Shown above it */
  about: readonly Node[];
  statement: Node | string;
}

/** What the memory tools need. Only the user may add deletion. */
const defaultRights = permissions.read + permissions.write;
const defaultDays = 90;

/** Asks the user whether the tool may have a key. */
export function showConsent(consent: Consent): void {
  const { wallet, state, label, delivery, onAllow } = consent;
  const form = scopeForm({ perms: defaultRights, days: defaultDays });
  // Normalised by URL, so that look-alike letters are shown as punycode
  const relayer = new URL(consent.relayerUrl).href.replace(/\/$/, '');
  const confirmations = [
    ...consent.confirmations,
    ...(isSameRelayer(consent.relayerUrl, state.relayerUrl) ? [] : [foreignRelayer(relayer)]),
  ];
  const boxes = confirmations.map(({ id }) => element('input', { type: 'checkbox', id }));
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
        element(
          'p',
          {},
          'This is the name the tool gives itself. Continue only if you have just started it.',
        ),
      ),
      ...confirmations.map(({ id, about, statement }, i) =>
        element(
          'div',
          { class: 'note', role: 'note' },
          ...about,
          element('label', { class: 'choice', for: id }, boxes[i], element('span', {}, statement)),
        ),
      ),
      facts([
        ['Wallet', shortId(state.address)],
        ['Account', state.account ? shortId(state.account.id) : 'will be created now'],
        ['Relayer', quoted(relayer, 100)],
        ...(consent.more ?? []),
      ]),
      form.node,
      element(
        'p',
        { class: 'small' },
        delivery,
        ` ${wallet.name[0]!.toUpperCase()}${wallet.name.slice(1)} registers it on chain. You can revoke it at any time on `,
        element('a', { href: '/keys' }, 'your keys page'),
        '. It keeps what it has already read.',
      ),
      actions(allow),
      element('p', { class: 'small after' }, 'To decline, close this page. Nothing has been changed.'),
    ],
  });
}

/** The user compares the code with the one in the tool: a link from another tool has a different code. */
export function sameCode(code: string): Confirmation {
  return {
    id: 'same-code',
    about: [
      paragraph('Compare this code with the one your tool shows:'),
      element('p', { class: 'code', 'aria-label': 'Sign-in code' }, code),
      paragraph(
        'If the tool shows a different code, or none, close this page: the link is not from your tool.',
      ),
    ],
    statement: 'My tool shows the same code',
  };
}

/** For a link in query form: there is no code to compare, and the page cannot verify who created the key. */
export function olderForm(label: string): Confirmation {
  return {
    id: 'older-form',
    about: [
      paragraph(
        element('strong', {}, 'This link uses an older, less secure form.'),
        ' The program that created it already has the key, this page cannot verify which program that is, and the link does not expire. Anyone who tricked you into opening this page gets the access you grant.',
      ),
      paragraph('If your tool supports memrelay sign-in links, use one instead.'),
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
        ', which is not the relayer of this computer. Its operator can read what passes through it.',
      ),
    ],
    statement: 'I know this relayer and trust it',
  };
}

/** Treats `localhost` and `127.0.0.1` as equal. */
function isSameRelayer(relayerUrl: string, own: string): boolean {
  const endpoint = (text: string): string => {
    const { protocol, hostname, port } = new URL(text);
    return `${protocol}//${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}`;
  };
  return endpoint(relayerUrl) === endpoint(own);
}
