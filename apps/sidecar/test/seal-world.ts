import type { AddressInfo } from 'node:net';
import { type Account, fullScope, type Scope } from '@memrelay/chain/account-bcs';
import { accountVersion } from '@memrelay/chain/account-limits';
import { delegateAddress } from '@memrelay/chain/delegate-key';
import { encodeSealIdentity } from '@memrelay/chain/seal-identity';
import type { PolicyAnswer, PolicyChain } from '@memrelay/localnet/chain/policy';
import { createKeyServers } from '@memrelay/localnet/key-servers/key-servers';
import { createAccountModule } from '@memrelay/localnet/move/account-module';
import { MoveAbort, type MoveObject, type NativeContext } from '@memrelay/localnet/move/native';
import type { SealCompatibleClient } from '@mysten/seal';
import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { fromBase64, toHex } from '@mysten/sui/utils';
import { type FastifyReply, fastify } from 'fastify';
import { pino } from 'pino';
import { KeyServerDirectory } from '../src/seal/key-server-directory.ts';
import { SealPool } from '../src/seal/seal-pool.ts';
import { makeServerSet, makeServerSets } from '../src/seal/server-sets.ts';
import { createSessionMaker } from '../src/seal/session-maker.ts';
import { KeyUnwrapper } from '../src/seal/unwrap-keys.ts';
import { wrapNewKey } from '../src/seal/wrap-key.ts';

export const packageId = `0x${'ab'.repeat(32)}`;
export const network = { timeoutMs: 5000, allowPrivateAddresses: true };
export const logger = pino({ level: 'silent' });

export type TestAccount = MoveObject<Account>;

/**
 * Real key servers on a free port over accounts that live in memory and obey the localnet's account module,
 * and this app's client side against them.
 */
export async function startSealWorld() {
  const accounts = new Map<string, TestAccount>();
  const module = createAccountModule(packageId);
  const state = {
    nowMs: () => Date.now(),
    requests: 0,
    /** Prefixes of key servers that break every connection */
    down: new Set<string>(),
    /** What the key servers answer instead of a key */
    answer: undefined as undefined | ((reply: FastifyReply) => unknown),
  };

  const context = (sender: string) =>
    ({ sender, epoch: 0n, nowMs: BigInt(state.nowMs()), emit: () => {} }) as unknown as NativeContext;

  /** Runs a function of the account module, as a transaction of `sender` would. */
  function call(sender: Ed25519Keypair, name: string, account: TestAccount, ...args: unknown[]): void {
    module.functions[name]!.run(context(sender.toSuiAddress()), account, ...args);
  }

  async function evaluate(ptbBytes: Uint8Array, sender: string): Promise<PolicyAnswer> {
    const ptb = bcs.ProgrammableTransaction.parse(ptbBytes);
    for (const { MoveCall: move } of ptb.commands) {
      const [id, object] = move!.arguments.map((argument) => ptb.inputs[argument.Input!]!);
      const account = accounts.get(object!.Object!.SharedObject!.objectId);
      if (!account) return { ok: false, reason: 'no such object' };
      try {
        const identity = bcs.byteVector().parse(fromBase64(id!.Pure!.bytes));
        module.functions[move!.function]!.run(context(sender), identity, account);
      } catch (error) {
        if (!(error instanceof MoveAbort)) throw error;
        return { ok: false, abort: error, reason: error.message };
      }
    }
    return { ok: true };
  }

  const policy: PolicyChain = { evaluate, originalPackageId: (id) => (id === packageId ? id : undefined) };
  const keyServers = createKeyServers({ seed: new Uint8Array(32).fill(9), policy });
  const app = fastify({ forceCloseConnections: true });
  app.addHook('onRequest', async (request, reply) => {
    state.requests += 1;
    if (state.down.has(request.url.slice(0, '/key/N'.length))) {
      reply.hijack();
      request.raw.socket.destroy();
    } else if (state.answer) {
      state.answer(reply);
      return reply;
    }
    return undefined;
  });
  await app.register(keyServers.plugin);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  const client = chainClient(keyServers.genesis(baseUrl));
  const servers = keyServers.servers.map(({ objectId }) => ({ objectId, weight: 1 }));
  const twoOfTwo = makeServerSet({ servers, threshold: 2 });
  const oneOfTwo = makeServerSet({ servers, threshold: 1 });
  const sets = makeServerSets(twoOfTwo, [oneOfTwo]);
  // Settings may spell an id in capitals; nothing after them may depend on it.
  const spelled = packageId.toUpperCase().replace('0X', '0x');
  const directory = new KeyServerDirectory({ client, packageId: spelled, logger });
  const pool = new SealPool({ logger, threads: 2 });
  const unwrapper = new KeyUnwrapper({ directory, pool, sets, network, logger });

  let nextAccount = 1;
  return {
    baseUrl,
    call,
    client,
    directory,
    keyServers,
    pool,
    sets,
    state,
    twoOfTwo,
    oneOfTwo,
    unwrapper,
    sessions: createSessionMaker({ packageId: spelled }),
    wrap: (identity: Uint8Array, sealSets = sets) =>
      wrapNewKey(identity, { directory, pool, sets: sealSets }),
    createAccount(owner: Ed25519Keypair): TestAccount {
      const id = `0x${(nextAccount++).toString(16).padStart(64, '0')}`;
      const account = { id, type: 'Account', value: newAccount(id, owner.toSuiAddress()) };
      accounts.set(id, account);
      return account;
    },
    /** Adds a full delegate, or narrows it to `scope`. */
    addDelegate(owner: Ed25519Keypair, account: TestAccount, scope: Partial<Scope> = {}): Ed25519Keypair {
      const delegate = new Ed25519Keypair();
      const publicKey = delegate.getPublicKey().toRawBytes();
      call(owner, 'add_delegate_key', account, publicKey, delegateAddress(publicKey), 'test');
      const entry = account.value.scopes.find(({ key }) => key === delegate.toSuiAddress())!;
      entry.value = { ...fullScope, ...scope };
      return delegate;
    },
    async close() {
      unwrapper.clear();
      await Promise.all([pool.close(), app.close()]);
    },
  };
}

export type SealWorld = Awaited<ReturnType<typeof startSealWorld>>;

/** A tag that is told apart by its first byte. */
export function tagOf(byte: number): Uint8Array {
  return new Uint8Array(16).fill(byte);
}

export function identityOf(
  account: TestAccount,
  tag = tagOf(1),
  epoch = account.value.key_epoch,
): Uint8Array {
  return encodeSealIdentity({ origin: account.value.origin, tag, epoch });
}

export function refOf(account: TestAccount) {
  return { objectId: account.id, initialSharedVersion: '1' };
}

function newAccount(id: string, owner: string): Account {
  return {
    id,
    origin: owner,
    owner,
    active: true,
    key_epoch: 0n,
    version: accountVersion,
    delegate_keys: [],
    scopes: [],
    recovery_pk: new Uint8Array(),
    pending_owner: null,
  };
}

/** The chain reads of Seal's client, answered from what would stand on chain at genesis. */
export function chainClient(
  genesis: ReturnType<ReturnType<typeof createKeyServers>['genesis']>,
): SealCompatibleClient {
  const core = {
    getObject: async ({ objectId }: { objectId: string }) => {
      const object = genesis.objects.find((each) => each.objectId === objectId);
      if (!object && objectId !== packageId) throw new Error(`object ${objectId} not found`);
      return { object: { version: '1', content: object?.contents } };
    },
    getDynamicField: async ({ parentId, name }: { parentId: string; name: { bcs: Uint8Array } }) => {
      const is = (entry: { parent: string; name: Uint8Array }) =>
        entry.parent === parentId && toHex(entry.name) === toHex(name.bcs);
      return { dynamicField: { value: { bcs: genesis.fields.find(is)!.value } } };
    },
  };
  return { core } as unknown as SealCompatibleClient;
}
