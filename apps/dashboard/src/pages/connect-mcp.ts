import { shortCode } from '@memrelay/sdk/account/sign-in/short-code';
import { SignInFormatError, type SignInRequest } from '@memrelay/sdk/account/sign-in/sign-in-request';
import type { ScopeChoice } from '../scope/scope-choice.ts';
import { connectTool, type Outcome, revokeKey } from '../sign-in/connect-tool.ts';
import { sameCode, showConsent } from '../sign-in/consent-view.ts';
import {
  showBadLink,
  showCode,
  showConnected,
  showExpired,
  showFailed,
  showLeftBehind,
  showWorking,
} from '../sign-in/outcome-views.ts';
import { forgetRequest, takeQueryRequest, takeRequest } from '../sign-in/pending-request.ts';
import { signInByQuery } from '../sign-in/query-sign-in.ts';
import { toolListens } from '../sign-in/tool-callback.ts';
import { loadLinkTexts } from '../texts/link-texts.ts';
import { applyTheme } from '../ui/theme.ts';
import { localWallet } from '../wallet/local-wallet.ts';
import { pairingCodeIn } from '../wallet/tab-pairing.ts';
import type { WalletState } from '../wallet/wallet-api.ts';
import { withWallet } from '../wallet/with-wallet.ts';

const wallet = localWallet;

applyTheme();
void loadLinkTexts().then(start);
// A second link in the same tab changes only the fragment
window.addEventListener('hashchange', start);

function start(): void {
  const { hash, pathname, search } = window.location;
  if (hash.length > 1 || search.length > 1) window.history.replaceState(null, '', pathname);
  const pairing = pairingCodeIn(hash);
  try {
    const older = takeQueryRequest(search, hash);
    if (older) return void withWallet(wallet, pairing, (state) => signInByQuery(wallet, state, older, start));
    const request = takeRequest(hash);
    void withWallet(wallet, pairing, (state) => void ask(request, state));
  } catch (error) {
    if (!(error instanceof SignInFormatError)) throw error;
    showBadLink();
  }
}

async function ask(request: SignInRequest, state: WalletState): Promise<void> {
  const direct = await toolListens(request);
  // Clocks of two machines may differ; a tool that still listens has not expired
  if (!direct && isOver(request)) return showExpired();
  const { label, relayerUrl } = request;
  showConsent({
    wallet,
    state,
    label,
    relayerUrl,
    confirmations: [sameCode(shortCode(request))],
    delivery: direct
      ? 'The key is created in this browser and sent directly to the tool on this computer.'
      : 'The key is created in this browser. You will get a command that passes it to the tool.',
    onAllow: (choice) => void allow(request, state, direct, choice),
  });
}

async function allow(
  request: SignInRequest,
  state: WalletState,
  direct: boolean,
  choice: ScopeChoice,
): Promise<void> {
  showWorking('register');
  tell(request, state, await connectTool({ wallet, state, request, choice, direct, onStep: showWorking }));
}

function tell(request: SignInRequest, state: WalletState, outcome: Outcome): void {
  const { label } = request;
  const revoke = async (publicKey: string, reason: string): Promise<void> => {
    showWorking('revoke');
    tell(request, state, await revokeKey(wallet, publicKey, reason));
  };
  const connected = (accountId: string, scope: Parameters<typeof showConnected>[0]['scope']): void => {
    forgetRequest();
    showConnected({ label, walletAddress: state.address, accountId, scope });
  };
  if (outcome.kind === 'connected') connected(outcome.accountId, outcome.scope);
  else if (outcome.kind === 'failed') showFailed(outcome.reason, isOver(request) ? undefined : start);
  else if (outcome.kind === 'left-behind')
    showLeftBehind(outcome.reason, outcome.publicKey, () => void revoke(outcome.publicKey, outcome.reason));
  else
    showCode({
      label,
      code: outcome.code,
      expiresAt: request.expiresAt * 1000,
      onArrived: () => connected(outcome.accountId, outcome.scope),
      onRevoke: () => void revoke(outcome.publicKey, 'The code was not used.'),
    });
}

function isOver({ expiresAt }: SignInRequest): boolean {
  return Date.now() > expiresAt * 1000;
}
