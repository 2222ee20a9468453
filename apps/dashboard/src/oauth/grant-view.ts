import { type ConsentRequest, maxGrantDays, maxRedirectOrigin } from '@memrelay/protocol/oauth';
import { permissions, type ScopeChoice } from '../scope/scope-choice.ts';
import { scopeForm } from '../scope/scope-form.ts';
import { button, element } from '../ui/element.ts';
import { quoted, shortId } from '../ui/quoted.ts';
import { actions, facts, paragraph, show } from '../ui/view.ts';
import type { OwnerWallet } from '../wallet/owner-wallet.ts';
import type { WalletState } from '../wallet/wallet-api.ts';

export interface GrantQuestion {
  wallet: OwnerWallet;
  state: WalletState;
  request: ConsentRequest;
  onAllow: (choice: ScopeChoice) => void;
  onDecline: () => void;
}

/** Asks the owner whether a remote program may use the memories through this relayer. */
export function showGrant({ wallet, state, request, onAllow, onDecline }: GrantQuestion): void {
  // Only the user may add deletion, whatever the client requests
  const defaultPerms = request.perms & (permissions.read + permissions.write);
  const form = scopeForm({ perms: defaultPerms || permissions.read, days: 30, maxDays: maxGrantDays });
  show({
    title: 'Let this program use your memories?',
    parts: [
      element(
        'div',
        { class: 'asker' },
        element('span', { class: 'name' }, quoted(request.client_name || 'a program without a name', 60)),
        element(
          'p',
          {},
          'This is the name the program gives itself; it has not been verified. The result will be sent to ',
          quoted(request.redirect_origin, maxRedirectOrigin),
          '. Continue only if you have just asked it to connect.',
        ),
      ),
      facts([
        ['Wallet', shortId(state.address)],
        ['Account', state.account ? shortId(state.account.id) : 'will be created now'],
        ['Relayer', quoted(new URL(state.relayerUrl).href.replace(/\/$/, ''), 100)],
      ]),
      form.node,
      element(
        'p',
        { class: 'small' },
        `A separate key is created for it and registered on chain by ${wallet.name}. The relayer stores it encrypted for the program; neither the program nor this page sees it. You can revoke it at any time on `,
        element('a', { href: '/keys' }, 'your keys page'),
        '. It keeps what it has already read.',
      ),
      actions(
        button('Connect', 'main', () => {
          const choice = form.read();
          if (choice) onAllow(choice);
        }),
        button('Decline', 'quiet', onDecline),
      ),
    ],
  });
}

/** Shown when the link does not belong to this relayer or has expired. */
export function showBadRequest(reason: string): void {
  show({
    title: 'This request cannot be processed',
    tone: 'bad',
    parts: [
      paragraph(reason),
      paragraph('Nothing was changed. Start again from the program that sent you here.'),
    ],
  });
}

export function showGoingBack(): void {
  show({ title: 'Returning to the program…', tone: 'busy', parts: [] });
}
