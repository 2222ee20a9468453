import { type Blob, sharedBlobBcs } from '@memrelay/chain/walrus-bcs';
import { bcs } from '@mysten/sui/bcs';
import type { MoveObject, NativeContext, NativeModule, Param } from '../execution/native.ts';
import { type Coin, extendBlob, type WalrusSettings } from './blob-life.ts';

type SharedBlob = typeof sharedBlobBcs.$inferType;

/** Walrus' module `shared_blob`: a blob whose lifetime anyone may extend. */
export function createSharedBlobModule(settings: WalrusSettings): NativeModule {
  const { packageId, walType } = settings;
  const type = `${packageId}::shared_blob::SharedBlob`;
  const blob: Param = { kind: 'own', type: `${packageId}::blob::Blob` };
  const wal: Param = { kind: 'own', type: `0x2::coin::Coin<${walType}>` };
  const shared: Param = { kind: 'ref', type, mutable: true };

  function share(context: NativeContext, object: MoveObject<Blob>, funds: string): undefined {
    // The blob is wrapped, because it is now part of the shared object. Its attributes stay with its id.
    context.destroy(object);
    const id = context.newObjectId();
    context.share({ id, type, value: { id, blob: object.value, funds: { value: funds } } });
  }

  return {
    packageId,
    name: 'shared_blob',
    structs: { SharedBlob: sharedBlobBcs },
    functions: {
      new: {
        params: [blob],
        visibility: 'public',
        run: (context, object: MoveObject<Blob>) => share(context, object, '0'),
      },
      new_funded: {
        params: [blob, wal],
        visibility: 'public',
        run: (context, object: MoveObject<Blob>, funds: Coin) => {
          context.destroy(funds);
          return share(context, object, funds.value.balance);
        },
      },
      fund: {
        params: [shared, wal],
        visibility: 'public',
        run: (context, { value }: MoveObject<SharedBlob>, added: Coin) => {
          context.destroy(added);
          value.funds.value = (BigInt(value.funds.value) + BigInt(added.value.balance)).toString();
          return undefined;
        },
      },
      extend: {
        params: [
          shared,
          { kind: 'ref', type: `${packageId}::system::System`, mutable: true },
          { kind: 'pure', bcs: bcs.u32() },
        ],
        visibility: 'public',
        run: (context, { value }: MoveObject<SharedBlob>, _system, epochs: number) => {
          const purse: Coin = { id: '', type: '', value: { id: '', balance: value.funds.value } };
          extendBlob(settings, context, value.blob, epochs, purse);
          value.funds.value = purse.value.balance;
          return undefined;
        },
      },
    },
  };
}
