import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { createLocalnet, type Localnet } from '../src/localnet.ts';
import { type Network, type NetworkOptions, openNetwork } from '../src/network.ts';
import { counterModule } from './counter-module.ts';
import { createLocalnetTransport } from './in-process.ts';

/** A network for tests, with a client for one of the transports. */
export interface ChainWorld {
  network: Network;
  client: SuiGrpcClient;
  /** Undefined for the in-process network */
  localnet?: Localnet;
  close(): Promise<void>;
}

const testShards = 31;

export type Transport = 'http text' | 'http binary' | 'in process';
export const transports: readonly Transport[] = ['http text', 'http binary', 'in process'];

/** The cost of every transaction in MIST, and the amount that the faucet sends of each coin. */
export const gasCost = 1_000_000n;
export const gift = 1_000_000_000_000n;

export async function startWorld(transport: Transport, options: NetworkOptions = {}): Promise<ChainWorld> {
  const settings = { nShards: testShards, modules: [counterModule], ...options };
  if (transport === 'in process') {
    const network = openNetwork(settings);
    const client = new SuiGrpcClient({ network: 'localnet', transport: createLocalnetTransport(network) });
    return { network, client, close: async () => network.close() };
  }
  const localnet = await createLocalnet({ ...settings, port: 0 });
  const format = transport === 'http text' ? 'text' : 'binary';
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: localnet.url, format });
  return { network: localnet.network, client, localnet, close: () => localnet.close() };
}

/** A fresh key with coins from the faucet. */
export async function fundedKey(world: Pick<ChainWorld, 'network'>): Promise<Ed25519Keypair> {
  const keypair = new Ed25519Keypair();
  await world.network.faucet.give(keypair.toSuiAddress());
  return keypair;
}

/** Signs, executes and expects success; returns the SDK's result. */
export async function send(
  { client }: Pick<ChainWorld, 'client'>,
  signer: Ed25519Keypair,
  build: (transaction: Transaction) => void,
) {
  const transaction = new Transaction();
  build(transaction);
  const result = await client.signAndExecuteTransaction({
    transaction,
    signer,
    include: { effects: true, events: true, objectTypes: true, balanceChanges: true },
  });
  if (result.$kind !== 'Transaction') throw new Error(result.FailedTransaction.status.error?.message);
  return result.Transaction;
}

/** Ids of the objects of a type that a transaction created. */
export function created(result: Awaited<ReturnType<typeof send>>, type: string): string[] {
  return result.effects.changedObjects
    .filter(({ objectId, idOperation }) => idOperation === 'Created' && result.objectTypes[objectId] === type)
    .map(({ objectId }) => objectId);
}

/** Balance of an address in a coin's smallest unit; SUI unless a type is given. */
export async function balanceOf({ client }: Pick<ChainWorld, 'client'>, owner: string, coinType?: string) {
  const { balance } = await client.getBalance({ owner, ...(coinType && { coinType }) });
  return BigInt(balance.balance);
}
