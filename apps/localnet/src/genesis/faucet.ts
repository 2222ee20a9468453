import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { Chain } from '../chain/chain.ts';
import type { ProgrammableTransaction } from '../execution/executor.ts';
import { referenceGasPrice, suggestedBudget } from '../execution/gas.ts';
import { seededId } from '../execution/hash.ts';
import { encodeTransaction } from '../execution/transaction-data.ts';

/** Amounts sent per call: 1,000 SUI in MIST and 1,000 WAL in FROST. */
export const faucetGift = { sui: 1_000_000_000_000n, wal: 1_000_000_000_000n };

/** Ids of the two coins from which all amounts are split. Genesis creates them. */
export function faucetCoins(seed: Uint8Array): { sui: string; wal: string } {
  return { sui: seededId(seed, 'faucet-sui'), wal: seededId(seed, 'faucet-wal') };
}

/** Sends coins in ordinary transactions from an account that is funded at genesis. */
export class Faucet {
  readonly #chain: Chain;
  readonly #keypair: Ed25519Keypair;
  readonly #coins: ReturnType<typeof faucetCoins>;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(chain: Chain, secretKey: Uint8Array, coins: ReturnType<typeof faucetCoins>) {
    this.#chain = chain;
    this.#keypair = Ed25519Keypair.fromSecretKey(secretKey);
    this.#coins = coins;
  }

  /**
   * Sends coins to an address and returns the digest of the transaction. Runs one transaction at a time, because
   * all use the same coins.
   */
  give(recipient: string): Promise<string> {
    const gift = this.#queue.then(() => this.#send(recipient));
    this.#queue = gift.catch(() => undefined);
    return gift;
  }

  get address(): string {
    return this.#keypair.toSuiAddress();
  }

  async #send(recipient: string): Promise<string> {
    const owner = this.address;
    const bytes = encodeTransaction({
      sender: owner,
      program: this.#program(recipient),
      gasData: {
        owner,
        payment: [this.#coin(this.#coins.sui)],
        price: referenceGasPrice.toString(),
        budget: suggestedBudget.toString(),
      },
      expiration: { $kind: 'None', None: true },
    });
    const { signature } = await this.#keypair.signTransaction(bytes);
    const { digest, effects } = await this.#chain.execute(bytes, [signature]);
    if (!effects?.status?.success)
      throw new Error(`the faucet transaction failed:  ${effects?.status?.error?.description}`);
    return digest!;
  }

  #program(recipient: string): ProgrammableTransaction {
    const pure = (value: Uint8Array) =>
      ({ $kind: 'Pure', Pure: { bytes: Buffer.from(value).toString('base64') } }) as const;
    const input = (index: number) => ({ $kind: 'Input', Input: index }) as const;
    return {
      inputs: [
        pure(bcs.Address.serialize(recipient).toBytes()),
        pure(bcs.u64().serialize(faucetGift.sui).toBytes()),
        pure(bcs.u64().serialize(faucetGift.wal).toBytes()),
        {
          $kind: 'Object',
          Object: { $kind: 'ImmOrOwnedObject', ImmOrOwnedObject: this.#coin(this.#coins.wal) },
        },
      ],
      commands: [
        {
          $kind: 'SplitCoins',
          SplitCoins: { coin: { $kind: 'GasCoin', GasCoin: true }, amounts: [input(1)] },
        },
        { $kind: 'SplitCoins', SplitCoins: { coin: input(3), amounts: [input(2)] } },
        {
          $kind: 'TransferObjects',
          TransferObjects: {
            objects: [
              { $kind: 'NestedResult', NestedResult: [0, 0] },
              { $kind: 'NestedResult', NestedResult: [1, 0] },
            ],
            address: input(0),
          },
        },
      ],
    };
  }

  /**
   * Looks up a coin by its id. The faucet must not pay with other coins it owns, because anyone can send it small
   * ones.
   */
  #coin(id: string) {
    const coin = this.#chain.store.object(id);
    if (!coin) throw new Error(`the faucet's coin does not exist: ${id}`);
    return { objectId: coin.id, version: coin.version.toString(), digest: coin.digest };
  }
}
