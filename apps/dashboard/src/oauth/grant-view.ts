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
  asked: ConsentRequest;
  onAllow: (choice: ScopeChoice) => void;
  onDecline: () => void;
}

/** Asks the owner whether a remote program may use the memories through this relayer. */
export function showGrant({ wallet, state, asked, onAllow, onDecline }: GrantQuestion): void {
  // Deleting is for the person to add, whatever is asked for
  const usual = asked.perms & (permissions.read + permissions.write);
  const form = scopeForm({ perms: usual || permissions.read, days: 30, maxDays: maxGrantDays });
  show({
    title: 'Let this program use your memories?',
    parts: [
      element(
        'div',
        { class: 'asker' },
        element('span', { class: 'name' }, quoted(asked.client_name || 'a program without a name', 60)),
        element(
          'p',
          {},
          'This is what the program calls itself; nobody has checked it. It is answered at ',
          quoted(asked.redirect_origin, maxRedirectOrigin),
          '. Go on only if you have just asked it to connect.',
        ),
      ),
      facts([
        ['Wallet', shortId(state.address)],
        ['Account', state.account ? shortId(state.account.id) : 'will be made now, in the same step'],
        ['Relayer', quoted(new URL(state.relayerUrl).href.replace(/\/$/, ''), 100)],
      ]),
      form.node,
      element(
        'p',
        { class: 'small' },
        `A key of its own is made for it and registered on chain by ${wallet.name}. The relayer keeps it for the program, sealed; neither the program nor this page sees it. You can revoke it at any time on `,
        element('a', { href: '/' }, 'the page of your keys'),
        '; what was read until then, was read.',
      ),
      actions(
        button('Connect', 'main', () => {
          const choice = form.read();
          if (choice) onAllow(choice);
        }),
        button('Refuse', 'quiet', onDecline),
      ),
    ],
  });
}

/** The link is none of this relayer, or its time is over. */
export function showBadRequest(reason: string): void {
  show({
    title: 'This request cannot be answered',
    tone: 'bad',
    parts: [
      paragraph(reason),
      paragraph('Nothing was changed. Let the program that sent you here ask again.'),
    ],
  });
}

export function showGoingBack(): void {
  show({ title: 'Going back to the program…', tone: 'busy', parts: [] });
}
