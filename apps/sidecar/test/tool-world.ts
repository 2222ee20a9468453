import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { fullScope, type Scope } from '@memrelay/chain/account-bcs';
import { addDelegateKeyScoped, createAccount, removeDelegateKey } from '@memrelay/chain/account-transactions';
import { createChainClient } from '@memrelay/chain/chain-client';
import { delegateProofMessage } from '@memrelay/chain/delegate-key';
import { createdAccountId, executeTransaction } from '@memrelay/chain/execute-transaction';
import { toHex } from '@memrelay/protocol/bytes';
import { localnetInfoSchema } from '@memrelay/protocol/localnet-info';
import { relayedHeaders } from '@memrelay/protocol/tool-server';
import { decodeSuiPrivateKey } from '@mysten/sui/cryptography';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import Fastify from 'fastify';
import { pino } from 'pino';
import { createAccountStates } from '../src/tools/account-states.ts';
import { createToolService, type ToolServiceOptions } from '../src/tools/tool-service.ts';
import { startLocalnet } from './localnet-process.ts';

const token = randomBytes(16).toString('hex');

/** The headers with which the relayer forwards a client's request. */
export type ToolHeaders = Record<string, string>;

export interface ToolOwner {
  accountId: string;
  /** Adds a delegate, with all rights by default, and returns the headers of its requests */
  addDelegate(scope?: Partial<Scope>): Promise<{ key: Ed25519Keypair; headers: ToolHeaders }>;
  removeDelegate(key: Ed25519Keypair): Promise<void>;
}

/** Headers of requests with this key. It need not belong to the account. */
export function headersOf(key: Ed25519Keypair, accountId: string, address = '198.51.100.7'): ToolHeaders {
  return {
    authorization: `Bearer ${seedOf(key)}`,
    'x-mem-account-id': accountId,
    [relayedHeaders.token]: token,
    [relayedHeaders.clientAddress]: address,
  };
}

/** The private key as 64 hex digits. */
export function seedOf(key: Ed25519Keypair): string {
  return toHex(decodeSuiPrivateKey(key.getSecretKey()).secretKey);
}

export interface ServeOptions extends Partial<ToolServiceOptions> {
  limits?: Partial<ToolServiceOptions['config']['limits']>;
  extraTools?: boolean;
}

/** Only the tool server of the sidecar, with accounts on a localnet. */
export async function startToolWorld() {
  const localnet = await startLocalnet();
  const info = localnetInfoSchema.parse(await (await fetch(`${localnet.url}/info`)).json());
  const { packageId, registryId } = info;
  const chain = createChainClient({ network: 'localnet', baseUrl: localnet.url });
  const accountStates = () => createAccountStates({ chain, packageId });
  return {
    accountStates,

    async createOwner(): Promise<ToolOwner> {
      const owner = new Ed25519Keypair();
      await fetch(`${localnet.url}/faucet`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ recipient: owner.toSuiAddress() }),
      });
      const created = await executeTransaction(chain, createAccount(packageId, registryId), owner);
      const accountId = createdAccountId(created, packageId);
      return {
        accountId,
        async addDelegate(scope = {}) {
          const key = new Ed25519Keypair();
          const added = {
            publicKey: toHex(key.getPublicKey().toRawBytes()),
            address: key.toSuiAddress(),
            label: 'test',
            scope: { ...fullScope, ...scope },
            proof: await key.sign(delegateProofMessage(accountId)),
          };
          await executeTransaction(chain, addDelegateKeyScoped(packageId, accountId, added), owner);
          return { key, headers: headersOf(key, accountId) };
        },
        async removeDelegate(key) {
          const publicKey = toHex(key.getPublicKey().toRawBytes());
          await executeTransaction(chain, removeDelegateKey(packageId, accountId, publicKey), owner);
        },
      };
    },

    async serve(options: ServeOptions) {
      const service = createToolService({
        token,
        packageId,
        accounts: accountStates(),
        log: pino({ level: 'silent' }),
        ...options,
        config: {
          relayerUrl: 'http://127.0.0.1:9',
          limits: { total: 1000, perAddress: 16, newPerMinute: 1000, ...options.limits },
          extraTools: options.extraTools ?? false,
        },
      });
      const app = Fastify();
      await app.register(service.routes);
      const url = await app.listen({ port: 0, host: '127.0.0.1' });
      return {
        url,
        service,
        connections: () => promisify(app.server.getConnections.bind(app.server))(),
        async close() {
          await service.close();
          await app.close();
        },
      };
    },
    close: () => localnet.close(),
  };
}

export type ToolWorld = Awaited<ReturnType<typeof startToolWorld>>;
export type ServedTools = Awaited<ReturnType<ToolWorld['serve']>>;
