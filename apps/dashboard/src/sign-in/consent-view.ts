import type { SignInRequest } from '@memrelay/sdk/account/sign-in/sign-in-request';
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
  request: SignInRequest;
  /** The tool listens on this machine */
  direct: boolean;
  onAllow: (choice: ScopeChoice) => void;
}

/** What the tool's tools need; deleting is for the person to add. */
const usualRights = permissions.read + permissions.write;
const usualDays = 90;

/** Asks whether the tool may have a key. */
export function showConsent({ wallet, state, request, direct, onAllow }: Consent): void {
  const form = scopeForm({ perms: usualRights, days: usualDays });
  // As browsers write it: letters that look like others are spelt out
  const relayer = new URL(request.relayerUrl).href.replace(/\/$/, '');
  const known = isSameRelayer(request.relayerUrl, state.relayerUrl);
  const sure = element('input', { type: 'checkbox', id: 'sure' });
  const allow = button('Connect', 'main', () => {
    const choice = form.read();
    if (choice) onAllow(choice);
  });
  allow.disabled = !known;
  sure.addEventListener('change', () => {
    allow.disabled = !sure.checked;
  });
  show({
    title: 'Give this tool a key to your memories?',
    parts: [
      element(
        'div',
        { class: 'asker' },
        element('span', { class: 'name' }, quoted(request.label, 60)),
        element('p', {}, 'This is what the tool calls itself. Go on only if you have just started it.'),
      ),
      known ? undefined : foreignRelayer(relayer, sure),
      facts([
        ['Wallet', shortId(state.address)],
        ['Account', state.account ? shortId(state.account.id) : 'will be made now, in the same step'],
        ['Relayer', quoted(relayer, 100)],
      ]),
      form.node,
      element(
        'p',
        { class: 'small' },
        `The tool gets a key of its own, made in this browser and registered on chain by ${wallet.name}. `,
        direct
          ? 'It goes straight to the tool on this computer.'
          : 'You will be shown a code to paste into the tool.',
        ' You can revoke it at any time on ',
        element('a', { href: '/' }, 'the page of your keys'),
        '; what it has read until then, it has read.',
      ),
      actions(allow),
      element('p', { class: 'small after' }, 'To refuse, close this page: the link ends by itself.'),
    ],
  });
}

function foreignRelayer(url: string, sure: HTMLInputElement): HTMLElement {
  return element(
    'div',
    { class: 'note', role: 'note' },
    paragraph(
      'The tool will send your memories to ',
      quoted(url, 100),
      ', which is not the relayer of this computer. Whoever runs it can read what passes through.',
    ),
    element(
      'label',
      { class: 'choice', for: 'sure' },
      sure,
      element('span', {}, 'I know this relayer and trust it'),
    ),
  );
}

/** `localhost` and `127.0.0.1` are the same place. */
function isSameRelayer(asked: string, own: string): boolean {
  const place = (text: string): string => {
    const { protocol, hostname, port } = new URL(text);
    return `${protocol}//${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}`;
  };
  return place(asked) === place(own);
}
