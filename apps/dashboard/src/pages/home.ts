import { scopeWords } from '../scope/scope-choice.ts';
import { button, element } from '../ui/element.ts';
import { quoted, shortId } from '../ui/quoted.ts';
import { facts, paragraph, show } from '../ui/view.ts';
import { localWallet } from '../wallet/local-wallet.ts';
import { WalletError } from '../wallet/owner-wallet.ts';
import { pairingCodeIn } from '../wallet/tab-pairing.ts';
import type { DelegateState, WalletState } from '../wallet/wallet-api.ts';
import { withWallet } from '../wallet/with-wallet.ts';

start();
window.addEventListener('hashchange', start);

function start(): void {
  const { hash, pathname } = window.location;
  if (hash.length > 1) window.history.replaceState(null, '', pathname);
  void withWallet(localWallet, pairingCodeIn(hash), showKeys);
}

/** Shows wallet, account and its delegate keys, each with a revoke button. */
function showKeys(state: WalletState): void {
  const { address, relayerUrl, account, systemKey } = state;
  show({
    title: 'Your memory',
    parts: [
      facts([
        ['Wallet', shortId(address)],
        ['Account', account ? shortId(account.id) : 'not created yet'],
        ['Relayer', relayerUrl],
      ]),
      element('h2', {}, 'Keys with access'),
      ...(account && account.delegates.length > 0
        ? [
            element(
              'ul',
              { class: 'keys' },
              ...account.delegates.map((key) => keyRow(key, key.publicKey === systemKey)),
            ),
          ]
        : [paragraph('None. When a tool signs in, its key appears here.')]),
      element(
        'p',
        { class: 'small after' },
        'The relayer refuses a revoked key within 5 seconds, key servers within two minutes. It keeps what it has already read.',
      ),
    ],
  });
}

function keyRow({ publicKey, label, scope, createdAt }: DelegateState, ofSystem: boolean): HTMLElement {
  const addedOn = new Date(createdAt).toLocaleDateString(undefined, { dateStyle: 'medium' });
  const problem = element('span', { class: 'problem', role: 'alert' });
  const row = element(
    'li',
    {},
    element(
      'div',
      { class: 'key' },
      element('strong', {}, quoted(label, 60)),
      ofSystem ? element('span', { class: 'badge' }, 'Used by this system') : undefined,
      element('p', { class: 'small' }, `May ${scopeWords(scope)}. Added ${addedOn}. `, shortId(publicKey)),
      ofSystem
        ? element(
            'p',
            { class: 'small' },
            'The command on this computer signs with this key. If you revoke it, the command and tools that use its credentials lose access, and the next start of memrelay creates a new key. Your memories stay.',
          )
        : undefined,
      problem,
    ),
    revokeButton(publicKey, label, problem),
  );
  return row;
}

/** Asks for confirmation in place, then revokes. */
function revokeButton(publicKey: string, label: string, problem: HTMLElement): HTMLButtonElement {
  const revoke = button('Revoke', 'quiet', async () => {
    if (!revoke.classList.contains('danger')) {
      revoke.classList.replace('quiet', 'danger');
      revoke.textContent = 'Really?';
      return;
    }
    revoke.disabled = true;
    try {
      await localWallet.removeDelegate(publicKey);
      start();
    } catch (error) {
      if (!(error instanceof WalletError)) throw error;
      problem.textContent = error.message;
      revoke.disabled = false;
    }
  });
  revoke.setAttribute('aria-label', `Revoke ${label}`);
  return revoke;
}
