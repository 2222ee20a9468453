import { blobBcs, blobIdDerivationBcs, storageConfirmation } from '@memrelay/chain/walrus-bcs';
import { signBls } from '@memrelay/chain/walrus-bls';
import { encodedBlobLength, storageCost } from '@memrelay/chain/walrus-sizes';
import { bcs } from '@mysten/sui/bcs';
import { coinWithBalance, Transaction, type TransactionArgument } from '@mysten/sui/transactions';
import { blake2b256 } from '../src/execution/hash.ts';
import { created, fundedKey, send, startWorld } from './chain-world.ts';

const nShards = 31;
/** Size of the blob that all tests register, in bytes */
export const size = 1000;
export const encodedSize = encodedBlobLength(size, nShards);
export const prices = { storage: 100_000n, write: 20_000n };
const rootHash = 123_456_789n;

type Arguments = NonNullable<Parameters<Transaction['moveCall']>[0]['arguments']>;
type Blob = typeof blobBcs.$inferType;

export interface Registration {
  epochs?: number;
  deletable?: boolean;
  blobId?: bigint;
  encodingType?: number;
  reserve?: number;
  wal?: bigint;
  /** Storage to use instead of buying new storage */
  storage?: string;
}

export interface Certification {
  blob: Blob;
  signature?: Uint8Array;
  bitmap?: number[];
  message?: Uint8Array;
}

/** The blob id for the root hash and the size. */
const goodBlobId = BigInt(
  bcs
    .u256()
    .parse(
      blake2b256(blobIdDerivationBcs.serialize({ encoding_type: 1, size, root_hash: rootHash }).toBytes()),
    ),
);

export const aborts = (code: number, place: string) =>
  new RegExp(`abort code: ${code}, in '0x[0-9a-f]+::${place}`);

export type WalrusWorld = Awaited<ReturnType<typeof startWalrus>>;

/** A network with an account that has coins, and the calls of Walrus that tests make as that account. */
export async function startWalrus() {
  const world = await startWorld('http text');
  const key = await fundedKey(world);
  const { walrusPackageId: packageId, systemObjectId: system, walType } = world.network.ids;
  const owner = key.toSuiAddress();
  const { committee } = world.network;

  /** A coin with this balance in FROST. */
  function wal(tx: Transaction, balance: bigint) {
    return tx.add(coinWithBalance({ type: walType, balance }));
  }

  /** Passes a coin with exactly this balance in FROST to `use`, which spends all of it. */
  function pay<T>(tx: Transaction, balance: bigint, use: (coin: TransactionArgument) => T): T {
    const coin = wal(tx, balance);
    const result = use(coin);
    tx.moveCall({ target: '0x2::coin::destroy_zero', typeArguments: [walType], arguments: [coin] });
    return result;
  }

  function call(tx: Transaction, target: string, args: Arguments) {
    return tx.moveCall({ target: `${packageId}::${target}`, arguments: args });
  }

  function reserve(tx: Transaction, amount: number, epochs: number, coin: TransactionArgument) {
    return call(tx, 'system::reserve_space', [
      tx.object(system),
      tx.pure.u64(amount),
      tx.pure.u32(epochs),
      coin,
    ]);
  }

  /** Adds calls that register the blob and transfer it to its owner, like a transaction of the SDK. */
  function register(tx: Transaction, options: Registration): void {
    const { epochs = 3, deletable = true, blobId = goodBlobId, encodingType = 1, storage } = options;
    const encoded = options.reserve ?? encodedSize;
    const cost = storageCost(encoded, epochs, prices);
    const price = options.wal ?? cost.write + (storage === undefined ? cost.storage : 0n);
    pay(tx, price, (coin) => {
      const blob = call(tx, 'system::register_blob', [
        tx.object(system),
        storage === undefined ? reserve(tx, encoded, epochs, coin) : tx.object(storage),
        tx.pure.u256(blobId),
        tx.pure.u256(rootHash),
        tx.pure.u64(size),
        tx.pure.u8(encodingType),
        tx.pure.bool(deletable),
        coin,
      ]);
      tx.transferObjects([blob], owner);
    });
  }

  async function readBlob(objectId: string): Promise<Blob> {
    const { object } = await world.client.getObject({ objectId, include: { content: true } });
    return blobBcs.parse(object.content!);
  }

  const run = (build: (tx: Transaction) => void) => send(world, key, build);

  /** Certifies blobs in one transaction. */
  function certifyAll(certifications: Certification[]) {
    return run((tx) => {
      for (const { blob, bitmap = [...committee.bitmap], ...overrides } of certifications) {
        const message = overrides.message ?? storageConfirmation(1, blob);
        const signature = overrides.signature ?? signBls(committee.secretKey, message);
        call(tx, 'system::certify_blob', [
          tx.object(system),
          tx.object(blob.id),
          tx.pure.vector('u8', signature),
          tx.pure.vector('u8', bitmap),
          tx.pure.vector('u8', message),
        ]);
      }
    });
  }

  async function registered(options: Registration = {}) {
    const result = await run((tx) => register(tx, options));
    return { result, blob: await readBlob(created(result, `${packageId}::blob::Blob`)[0]!) };
  }

  return {
    world,
    key,
    packageId,
    system,
    run,
    wal,
    call,
    registered,
    readBlob,
    certifyAll,
    certify: (blob: Blob, changes: Omit<Certification, 'blob'> = {}) => certifyAll([{ blob, ...changes }]),

    /** A certified blob. */
    async certified(options: Registration = {}) {
      const { blob } = await registered(options);
      await certifyAll([{ blob }]);
      return readBlob(blob.id);
    },

    extend(blobObject: string, epochs: number) {
      return run((tx) =>
        pay(tx, storageCost(encodedSize, epochs, prices).storage, (coin) => {
          call(tx, 'system::extend_blob', [
            tx.object(system),
            tx.object(blobObject),
            tx.pure.u32(epochs),
            coin,
          ]);
        }),
      );
    },

    remove(blobObject: string) {
      return run((tx) => {
        tx.transferObjects(
          [call(tx, 'system::delete_blob', [tx.object(system), tx.object(blobObject)])],
          owner,
        );
      });
    },

    /** A separate storage object; `epochs` from `start`, or from now. */
    async storage(amount: number, epochs: number, start = 1): Promise<string> {
      const result = await run((tx) =>
        pay(tx, storageCost(amount, start + epochs - Math.max(start, 1), prices).storage, (coin) => {
          const space = call(tx, 'system::reserve_space_for_epochs', [
            tx.object(system),
            tx.pure.u64(amount),
            tx.pure.u32(start),
            tx.pure.u32(start + epochs),
            coin,
          ]);
          tx.transferObjects([space], owner);
        }),
      );
      return created(result, `${packageId}::storage_resource::Storage`)[0]!;
    },

    /** The result of a read-only function, as BCS. */
    async ask(target: string, objectId: string): Promise<Uint8Array> {
      const tx = new Transaction();
      tx.setSender(owner);
      call(tx, target, [tx.object(objectId)]);
      const result = await world.client.simulateTransaction({
        transaction: tx,
        include: { commandResults: true },
      });
      return result.commandResults![0]!.returnValues[0]!.bcs;
    },
  };
}
