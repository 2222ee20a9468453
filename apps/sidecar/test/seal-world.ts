import { fullScope, type Scope } from '@memrelay/chain/account-bcs';
import { type AccountObject, readAccount } from '@memrelay/chain/account-reader';
import { addDelegateKeyScoped, createAccount } from '@memrelay/chain/account-transactions';
import { createChainClient } from '@memrelay/chain/chain-client';
import { delegateProofMessage } from '@memrelay/chain/delegate-key';
import { createdAccountId, executeTransaction } from '@memrelay/chain/execute-transaction';
import { encodeSealIdentity } from '@memrelay/chain/seal-identity';
import { toHex } from '@memrelay/protocol/bytes';
import { localnetInfoSchema } from '@memrelay/protocol/localnet-info';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { Transaction } from '@mysten/sui/transactions';
import { pino } from 'pino';
import { KeyServerDirectory } from '../src/seal/key-server-directory.ts';
import { SealPool } from '../src/seal/seal-pool.ts';
import { makeServerSet, makeServerSets } from '../src/seal/server-sets.ts';
import { createSessionMaker } from '../src/seal/session-maker.ts';
import { KeyUnwrapper } from '../src/seal/unwrap-keys.ts';
import { wrapKey } from '../src/seal/wrap-key.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { startLocalnet } from './localnet-process.ts';
import { rewrittenServers } from './rewritten-servers.ts';

export const network = { timeoutMs: 5000, allowPrivateAddresses: true };
export const logger = pino({ level: 'silent' });

/**
 * A localnet in a separate process, a proxy in front of its key servers that can inject failures, and the sidecar's
 * client code configured to use both.
 */
export async function startSealWorld() {
  const localnet = await startLocalnet();
  const info = localnetInfoSchema.parse(await (await fetch(`${localnet.url}/info`)).json());
  const { packageId, registryId } = info;
  const chain = createChainClient({ network: 'localnet', baseUrl: localnet.url });
  const proxy = await startFaultyProxy(localnet.url);
  const client = rewrittenServers(chain.sui, (server) => ({
    ...server,
    url: server.url.replace(localnet.url, proxy.url),
  }));
  const servers = info.keyServers.map(({ objectId, weight }) => ({ objectId, weight }));
  const twoOfTwo = makeServerSet({ servers, threshold: 2 });
  const oneOfTwo = makeServerSet({ servers, threshold: 1 });
  const sets = makeServerSets(twoOfTwo, [oneOfTwo]);
  // Settings may contain ids in upper case, which must not make a difference.
  const spelled = packageId.toUpperCase().replace('0X', '0x');
  const directory = new KeyServerDirectory({ client, packageId: spelled, logger });
  const pool = new SealPool({ logger, threads: 2 });
  const unwrapper = new KeyUnwrapper({ directory, pool, sets, network, logger });

  return {
    chain,
    client,
    directory,
    oneOfTwo,
    packageId,
    pool,
    proxy,
    sets,
    twoOfTwo,
    unwrapper,
    sessions: createSessionMaker({ packageId: spelled }),
    wrap: (identity: Uint8Array, sealSets = sets) => wrapKey(identity, { directory, pool, sets: sealSets }),

    async createAccount(owner: Ed25519Keypair): Promise<AccountObject> {
      await fetch(`${localnet.url}/faucet`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ recipient: owner.toSuiAddress() }),
      });
      const created = await executeTransaction(chain, createAccount(packageId, registryId), owner);
      return (await readAccount(chain, packageId, createdAccountId(created, packageId)))!;
    },

    /** Executes the transaction and drops the account's cached keys, as its event does. */
    async submit(owner: Ed25519Keypair, { account }: AccountObject, transaction: Transaction): Promise<void> {
      await executeTransaction(chain, transaction, owner);
      unwrapper.dropAccount(account.id);
    },

    async addDelegate(
      owner: Ed25519Keypair,
      { account }: AccountObject,
      scope: Partial<Scope> = {},
    ): Promise<Ed25519Keypair> {
      const delegate = new Ed25519Keypair();
      const added = {
        ...describeKey(delegate),
        scope: { ...fullScope, ...scope },
        proof: await delegate.sign(delegateProofMessage(account.id)),
      };
      await executeTransaction(chain, addDelegateKeyScoped(packageId, account.id, added), owner);
      return delegate;
    },

    async close() {
      unwrapper.clear();
      await Promise.all([pool.close(), proxy.close(), localnet.close()]);
    },
  };
}

export type SealWorld = Awaited<ReturnType<typeof startSealWorld>>;

export function describeKey(key: Ed25519Keypair) {
  const publicKey = toHex(key.getPublicKey().toRawBytes());
  return { publicKey, address: key.toSuiAddress(), label: 'test' };
}

/** A tag of 16 equal bytes. */
export function tagOf(byte: number): Uint8Array {
  return new Uint8Array(16).fill(byte);
}

export function identityOf({ account }: AccountObject, tag = tagOf(1), epoch = 0n): Uint8Array {
  return encodeSealIdentity({ origin: account.origin, tag, epoch });
}

export function refOf({ account, initialSharedVersion }: AccountObject) {
  return { objectId: account.id, initialSharedVersion };
}
