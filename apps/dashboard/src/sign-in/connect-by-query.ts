import { type ScopeChoice, scopeOf } from '../scope/scope-choice.ts';
import { cleanLabel } from '../ui/harmless-text.ts';
import { type OwnerWallet, WalletError } from '../wallet/owner-wallet.ts';
import type { ScopeState, WalletState } from '../wallet/wallet-api.ts';
import { type NotConnected, revokeKey } from './connect-tool.ts';
import type { QueryRequest } from './query-link.ts';

const timeoutMs = 20_000;

export interface QueryConnection {
  wallet: OwnerWallet;
  state: WalletState;
  request: QueryRequest;
  choice: ScopeChoice;
  onStep: (step: 'register' | 'hand-over' | 'revoke') => void;
}

/** `unconfirmed`: the browser could not read whether the tool accepted the result. */
export interface Registered {
  kind: 'connected' | 'unconfirmed';
  accountId: string;
  scope: ScopeState;
  publicKey: string;
}

export type QueryOutcome = Registered | NotConnected;

/** Registers the tool's own key and posts the result to the tool; revokes the key if the tool rejects it. */
export async function connectByQuery(connection: QueryConnection): Promise<QueryOutcome> {
  const { wallet, state, request, choice, onStep } = connection;
  const { publicKey } = request;
  const scope = scopeOf(choice, state.account?.origin ?? state.address);
  try {
    onStep('register');
    const label = cleanLabel(request.label);
    const accountId = state.account?.id ?? (await wallet.createAccount());
    await wallet.addDelegate(accountId, { publicKey, label, scope });
    onStep('hand-over');
    const status = await postResult(request.port, {
      version: 1,
      state: request.state,
      accountId,
      packageId: state.packageId,
      walletAddress: state.address,
      delegateAddress: request.delegateAddress,
      delegatePublicKeyHex: publicKey,
      label,
      relayerUrl: request.relayerUrl,
      createdAt: new Date().toISOString(),
    });
    if (status === 'unknown') return { kind: 'unconfirmed', accountId, scope, publicKey };
    if (status < 300) return { kind: 'connected', accountId, scope, publicKey };
    onStep('revoke');
    return await revokeKey(wallet, publicKey, `The tool rejected the result (status ${status}).`);
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    if (!error.unsure) return { kind: 'failed', reason: error.message };
    onStep('revoke');
    return await revokeKey(wallet, publicKey, error.message);
  }
}

/**
 * The status of the tool's response; `unknown` if there is none that a page may read. The URL is built only from the port,
 * so it always points to this machine.
 */
async function postResult(port: number, result: object): Promise<number | 'unknown'> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(result),
      redirect: 'error',
      credentials: 'omit',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return response.status;
  } catch {
    return 'unknown';
  }
}
