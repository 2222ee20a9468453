import type { ConsentOutcome } from '@memrelay/protocol/oauth';
import { type ConsentApi, ConsentError, consentApi } from '../oauth/consent-api.ts';
import { type Granted, grantAccess } from '../oauth/grant-access.ts';
import { showBadRequest, showGoingBack, showGrant } from '../oauth/grant-view.ts';
import type { ScopeChoice } from '../scope/scope-choice.ts';
import { revokeKey } from '../sign-in/connect-tool.ts';
import { showFailed, showLeftBehind, showWorking } from '../sign-in/outcome-views.ts';
import { applyTheme } from '../ui/theme.ts';
import { localWallet } from '../wallet/local-wallet.ts';
import { pairingCodeIn } from '../wallet/tab-pairing.ts';
import type { WalletState } from '../wallet/wallet-api.ts';
import { withWallet } from '../wallet/with-wallet.ts';

const wallet = localWallet;
const storageKey = 'memrelay.oauth-request';

applyTheme();
start();
// A second request in the same tab changes only the fragment
window.addEventListener('hashchange', start);

function start(): void {
  const { hash, pathname } = window.location;
  const requestInLink = new URLSearchParams(hash.slice(1)).get('request');
  // Kept in the tab for a reload, but not in the address or the history
  if (requestInLink !== null) sessionStorage.setItem(storageKey, requestInLink);
  if (hash.length > 1) window.history.replaceState(null, '', pathname);
  const request = sessionStorage.getItem(storageKey);
  if (request === null) showBadRequest('The link is incomplete.');
  else
    void withWallet(wallet, pairingCodeIn(hash), (state) => {
      const api = consentApi(state.relayerUrl, request);
      void orTell(() => ask(api, state));
    });
}

async function ask(api: ConsentApi, state: WalletState): Promise<void> {
  const consent = await api.describe();
  showGrant({
    wallet,
    state,
    request: consent,
    onAllow: (choice) => void orTell(() => allow(api, state, consent.client_name, choice)),
    onDecline: () => void orTell(async () => goBack(await api.decline())),
  });
}

async function allow(api: ConsentApi, state: WalletState, name: string, choice: ScopeChoice): Promise<void> {
  tell(await grantAccess({ wallet, state, api, name, choice, onStep: showWorking }));
}

function tell(outcome: Granted): void {
  if (outcome.kind === 'granted') goBack({ redirect_to: outcome.redirectTo });
  else if (outcome.kind === 'failed') showFailed(outcome.reason, start);
  else
    showLeftBehind(outcome.reason, outcome.publicKey, async () => {
      showWorking('revoke');
      tell(await revokeKey(wallet, outcome.publicKey, outcome.reason));
    });
}

function goBack({ redirect_to }: ConsentOutcome): void {
  sessionStorage.removeItem(storageKey);
  showGoingBack();
  // The relayer has checked the target; never follow a script URL
  if (/^https?:\/\//.test(redirect_to)) window.location.assign(redirect_to);
}

async function orTell(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ConsentError)) throw error;
    showBadRequest(error.message);
  }
}
