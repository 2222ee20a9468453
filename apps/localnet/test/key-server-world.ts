import type { AddressInfo } from 'node:net';
import { toHex } from '@memrelay/protocol/bytes';
import { SealClient, type SealCompatibleClient, SessionKey } from '@mysten/seal';
import { bcs } from '@mysten/sui/bcs';
import type { Keypair } from '@mysten/sui/cryptography';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64 } from '@mysten/sui/utils';
import { fastify } from 'fastify';
import type { PolicyAnswer, PolicyChain } from '../src/chain/policy.ts';
import { createKeyServers } from '../src/key-servers/key-servers.ts';

export const packageId = `0x${'ab'.repeat(32)}`;
export const account = { objectId: `0x${'ac'.repeat(32)}`, initialSharedVersion: 7 };

/**
 * Key servers on a free port with a policy that the test sets: `allow` decides for each sender and identity (hex).
 * There is no chain; the account rules have separate tests.
 */
export async function startKeyServerWorld() {
  const clock = { nowMs: () => Date.now() };
  const state = {
    allow: (_sender: string, _idHex: string): boolean => false,
    failing: false,
    evaluations: 0,
    /** Changes the responses of key servers, to simulate malicious servers */
    rewrite: (_path: string, answer: unknown): unknown => answer,
  };
  const policy: PolicyChain = {
    originalPackageId: (id) => (id === packageId ? packageId : undefined),
    evaluate: async (ptbBytes, sender): Promise<PolicyAnswer> => {
      state.evaluations += 1;
      if (state.failing) throw new Error('the chain is on fire');
      const ptb = bcs.ProgrammableTransaction.parse(ptbBytes);
      const ids = ptb.commands.map((command) => {
        const input = ptb.inputs[command.MoveCall!.arguments[0]!.Input!]!;
        return toHex(bcs.byteVector().parse(fromBase64(input.Pure!.bytes)));
      });
      if (ids.every((id) => state.allow(sender, id))) return { ok: true };
      const abort = { code: 100n, module: 'account', functionName: 'seal_approve_at' };
      return { ok: false, abort, reason: 'abort 100' };
    },
  };
  const keyServers = createKeyServers({ seed: new Uint8Array(32).fill(7), policy, now: () => clock.nowMs() });
  // A client that aborts a request leaves a connection that never becomes idle.
  const app = fastify({ forceCloseConnections: true });
  app.addHook('preSerialization', async (request, _reply, answer) => state.rewrite(request.url, answer));
  await app.register(keyServers.plugin);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const suiClient = genesisClient(keyServers.genesis(baseUrl));
  const serverConfigs = keyServers.servers.map(({ objectId }) => ({ objectId, weight: 1 }));

  return {
    app,
    baseUrl,
    clock,
    keyServers,
    state,
    suiClient,
    sealClient: (verifyKeyServers = false) => new SealClient({ suiClient, serverConfigs, verifyKeyServers }),
    session: (signer: Keypair, ttlMin = 10) =>
      SessionKey.create({ address: signer.toSuiAddress(), packageId, ttlMin, signer, suiClient }),
  };
}

/** Answers the two chain reads of Seal's client from the genesis objects. */
function genesisClient(
  genesis: ReturnType<ReturnType<typeof createKeyServers>['genesis']>,
): SealCompatibleClient {
  const core = {
    getObject: async ({ objectId }: { objectId: string }) => {
      const content = genesis.objects.find((object) => object.objectId === objectId)?.contents;
      return { object: { version: '1', content } };
    },
    getDynamicField: async ({ parentId, name }: { parentId: string; name: { bcs: Uint8Array } }) => {
      const field = genesis.fields.find(
        (entry) => entry.parent === parentId && toHex(entry.name) === toHex(name.bcs),
      );
      return { dynamicField: { value: { bcs: field!.value } } };
    },
  };
  return { core } as unknown as SealCompatibleClient;
}

/** Transaction kind bytes with one `seal_approve_at` call per identity. */
export function approveAll(ids: Uint8Array[], functionName = 'seal_approve_at'): Promise<Uint8Array> {
  const tx = new Transaction();
  const ref = tx.sharedObjectRef({ ...account, mutable: false });
  const clock = tx.sharedObjectRef({ objectId: '0x6', initialSharedVersion: 1, mutable: false });
  for (const id of ids) {
    const target = `${packageId}::account::${functionName}`;
    tx.moveCall({ target, arguments: [tx.pure.vector('u8', id), ref, clock] });
  }
  return tx.build({ onlyTransactionKind: true });
}
