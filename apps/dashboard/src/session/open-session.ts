import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import { toHex } from '@memrelay/protocol/bytes';
import { MemRelayError } from '@memrelay/sdk/errors';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { permissions } from '../scope/scope-choice.ts';
import type { OwnerWallet } from '../wallet/owner-wallet.ts';
import type { DelegateState, WalletState } from '../wallet/wallet-api.ts';
import { loadKey, saveKey } from './key-store.ts';
import { observedFetch } from './observed.ts';

/** Name of the browser's key in the list of keys. */
export const keyLabel = 'Dashboard';
const lifetimeMs = 90 * 86_400_000;
/** A key that ends within this time is replaced when the page is opened. */
const renewMs = 86_400_000;

/** A client that reads and writes with the key of this browser. */
export interface Session {
  client: MemRelay;
  accountId: string;
  /** Of the browser's key, 64 hex digits */
  publicKey: string;
}

/** Opens the memories with the key that this browser has; undefined if it has none that is registered and valid. */
export async function reopenSession(state: WalletState): Promise<Session | undefined> {
  const { account } = state;
  if (!account) return undefined;
  const key = await loadKey(account.id);
  const delegate = account.delegates.find(({ publicKey }) => publicKey === key?.publicKey);
  if (!key || !delegate || endsSoon(delegate)) return undefined;
  return sessionOf(state, account.id, key);
}

/** Registers a key for this browser with one signature of the wallet, and opens the memories with it. */
export async function createSession(wallet: OwnerWallet, state: WalletState): Promise<Session> {
  // Only a first visit needs it
  const { delegateProofMessage } = await import('@memrelay/chain/delegate-key');
  const p = portablePrimitives;
  const privateKey = p.randomBytes(32);
  const publicKey = toHex(p.ed25519PublicKey(privateKey));
  const accountId = state.account?.id ?? (await wallet.createAccount());
  const earlier = await loadKey(accountId);
  if (earlier && state.account?.delegates.some((each) => each.publicKey === earlier.publicKey))
    await wallet.removeDelegate(earlier.publicKey);
  // First, so that a registration whose response is lost leaves a key that the next visit can use
  await saveKey(accountId, { privateKey, publicKey });
  await wallet.addDelegate(accountId, {
    publicKey,
    label: keyLabel,
    scope: {
      perms: permissions.read + permissions.write + permissions.forget,
      allNamespaces: true,
      tags: [],
      expiresAtMs: String(Date.now() + lifetimeMs),
    },
    prove: async (account) => p.ed25519Sign(privateKey, delegateProofMessage(account)),
  });
  const session = await sessionOf(state, accountId, { privateKey, publicKey });
  await untilKnown(session.client);
  return session;
}

async function sessionOf(
  { relayerUrl, packageId }: WalletState,
  accountId: string,
  { privateKey, publicKey }: { privateKey: Uint8Array; publicKey: string },
): Promise<Session> {
  const client = MemRelay.create({
    key: privateKey,
    accountId,
    serverUrl: relayerUrl,
    packageId,
    fetch: observedFetch,
  });
  privateKey.fill(0);
  return { client, accountId, publicKey };
}

function endsSoon({ scope }: DelegateState): boolean {
  const end = Number(scope.expiresAtMs);
  return end !== 0 && end < Date.now() + renewMs;
}

/** The relayer may take a moment to see a new key on chain. */
async function untilKnown(client: MemRelay, tries = 20): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.account();
      return;
    } catch (error) {
      const waits = error instanceof MemRelayError && error.code === 'unknown_delegate_key';
      if (!waits || attempt === tries) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
