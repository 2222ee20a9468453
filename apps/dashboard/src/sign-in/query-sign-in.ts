import { shortId } from '../ui/quoted.ts';
import type { OwnerWallet } from '../wallet/owner-wallet.ts';
import type { WalletState } from '../wallet/wallet-api.ts';
import { connectByQuery, type QueryOutcome, type Registered } from './connect-by-query.ts';
import { revokeKey } from './connect-tool.ts';
import { olderForm, showConsent } from './consent-view.ts';
import { showConnected, showFailed, showLeftBehind, showUnconfirmed, showWorking } from './outcome-views.ts';
import { forgetRequest } from './pending-request.ts';
import type { QueryRequest } from './query-link.ts';

/** A complete sign-in with a link in query form. `again` restarts it. */
export function signInByQuery(
  wallet: OwnerWallet,
  state: WalletState,
  request: QueryRequest,
  again: () => void,
): void {
  const { label, relayerUrl } = request;
  const connected = ({ accountId, scope }: Registered): void => {
    forgetRequest();
    showConnected({ label, walletAddress: state.address, accountId, scope });
  };
  const revoke = async (publicKey: string, reason: string): Promise<void> => {
    showWorking('revoke');
    tell(await revokeKey(wallet, publicKey, reason));
  };
  const tell = (outcome: QueryOutcome): void => {
    const { kind } = outcome;
    if (kind === 'failed') showFailed(outcome.reason, again);
    else if (kind === 'left-behind')
      showLeftBehind(outcome.reason, outcome.publicKey, () => void revoke(outcome.publicKey, outcome.reason));
    else if (kind === 'connected') connected(outcome);
    else
      showUnconfirmed(
        label,
        () => connected(outcome),
        () => void revoke(outcome.publicKey, 'The tool rejected the result.'),
      );
  };
  showConsent({
    wallet,
    state,
    label,
    relayerUrl,
    confirmations: [olderForm(label)],
    more: [['Key', shortId(request.delegateAddress)]],
    delivery: 'The tool created the key. The result is sent to the tool on this computer.',
    onAllow(choice) {
      showWorking('register');
      void connectByQuery({ wallet, state, request, choice, onStep: showWorking }).then(tell);
    },
  });
}
