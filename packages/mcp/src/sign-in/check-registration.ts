import { setTimeout as wait } from 'node:timers/promises';
import { type Account, type DelegateKey, type Scope, scopeBcs } from '@memrelay/chain/account-bcs';
import { readAccount } from '@memrelay/chain/account-reader';
import { ChainRejectedError, ChainUnavailableError } from '@memrelay/chain/chain-errors';
import { delegateAddress } from '@memrelay/chain/delegate-key';
import { equalBytes } from '@memrelay/envelope/bytes';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { type AccountNetwork, readNetwork } from '@memrelay/sdk/account/network';
import type { HandOver } from '@memrelay/sdk/account/sign-in/hand-over';
import { MemRelayError } from '@memrelay/sdk/errors';
import { Refusal } from './refusal.ts';

const pauseMs = 400;

export interface RegistrationCheck {
  relayerUrl: string;
  /** Without a scope, any scope that has not expired is accepted */
  handOver: RegisteredKey;
  fetch: typeof globalThis.fetch;
  /** How long to wait for the key to appear on chain: this node may lag behind the one that executed the transaction */
  patienceMs: number;
}

export type RegisteredKey = Omit<HandOver, 'scope'> & Partial<Pick<HandOver, 'scope'>>;

/**
 * Verifies a handed-over key on the relayer's chain and returns its delegate entry. The package must be the relayer's; the
 * account must be of that package, belong to the named wallet, and have exactly this key with this scope. Throws `Refusal`.
 */
export async function checkRegistration(check: RegistrationCheck): Promise<DelegateKey> {
  const network = await networkOf(check);
  const deadline = Date.now() + check.patienceMs;
  for (;;) {
    try {
      return await verifyOnce(network, check.handOver);
    } catch (error) {
      const patient = error instanceof Refusal ? error.error === 'not_registered' : isUnavailable(error);
      if (patient && Date.now() < deadline) await wait(pauseMs);
      else if (error instanceof Refusal) throw error;
      else
        throw new Refusal(
          503,
          'chain_unavailable',
          'The chain is unreachable, so the key cannot be verified.',
        );
    }
  }
}

async function networkOf({ relayerUrl, handOver, fetch }: RegistrationCheck): Promise<AccountNetwork> {
  let network: AccountNetwork;
  try {
    // A redirect would lead to a relayer that the user did not choose
    network = await readNetwork(relayerUrl.replace(/\/+$/, ''), (input, init) =>
      fetch(input, { ...init, redirect: 'error' }),
    );
  } catch (error) {
    if (!(error instanceof MemRelayError)) throw error;
    throw new Refusal(503, 'relayer_unreachable', 'The tool cannot reach its relayer.');
  }
  if (network.packageId === handOver.packageId) return network;
  throw new Refusal(
    422,
    'other_package',
    "The key was registered with a different contract than the one the tool's relayer uses.",
  );
}

async function verifyOnce(network: AccountNetwork, handOver: RegisteredKey): Promise<DelegateKey> {
  const found = await readAccount(network.chain, network.packageId, handOver.accountId);
  if (!found) throw new Refusal(422, 'not_registered', 'The account does not exist on the chain.');
  return delegateOf(found.account, handOver);
}

function delegateOf(account: Account, handOver: RegisteredKey): DelegateKey {
  if (account.owner !== handOver.walletAddress)
    throw new Refusal(422, 'other_owner', 'The account belongs to another wallet.');
  if (!account.active) throw new Refusal(422, 'account_inactive', 'The account is deactivated.');
  const publicKey = nodePrimitives.ed25519PublicKey(handOver.privateKey);
  const delegate = account.delegate_keys.find((key) => equalBytes(key.public_key, publicKey));
  if (!delegate || delegate.address !== delegateAddress(publicKey))
    throw new Refusal(422, 'not_registered', 'The key is not registered with the account.');
  const scope = account.scopes.find(({ key }) => key === delegate.address)?.value;
  if (!scope || (handOver.scope && !isSameScope(scope, handOver.scope)))
    throw new Refusal(
      422,
      'other_scope',
      "The key's permissions differ from the ones that the page reported.",
    );
  if (scope.expires_at_ms !== 0n && BigInt(scope.expires_at_ms) <= BigInt(Date.now()))
    throw new Refusal(422, 'expired_key', 'The key has expired.');
  return delegate;
}

function isSameScope(one: Scope, other: Scope): boolean {
  return equalBytes(scopeBcs.serialize(one).toBytes(), scopeBcs.serialize(other).toBytes());
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof ChainUnavailableError || error instanceof ChainRejectedError) return true;
  throw error;
}
