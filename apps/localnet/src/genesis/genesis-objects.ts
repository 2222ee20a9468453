import { registryBcs } from '@memrelay/chain/account-bcs';
import type { SystemObject } from '../chain/chain.ts';
import type { GenesisField, GenesisObject } from '../chain/policy.ts';
import { encodeCoin } from '../execution/coin.ts';
import { clockType, coinOf, fieldTypeOf, packageType, suiType } from '../execution/type-tags.ts';
import { clockId, encodeClock, fieldContents, fieldId } from '../execution/workspace.ts';
import { createRegistry } from '../move/account-module.ts';
import { faucetCoins } from './faucet.ts';
import type { NetworkIds } from './network-ids.ts';

/** The faucet's initial balance, SUI in MIST and WAL in FROST: enough for ten million calls. */
const faucetFunds = 10n ** 19n;

/** All objects of the first checkpoint except those of Walrus. */
export function genesisObjects(
  seed: Uint8Array,
  ids: NetworkIds,
  packageIds: readonly string[],
  faucetAddress: string,
): SystemObject[] {
  const coins = faucetCoins(seed);
  return [
    ...packageIds.map((id) => packageObject(id)),
    {
      id: clockId,
      type: clockType,
      owner: { kind: 'shared', initialVersion: 1n },
      contents: encodeClock(0n),
    },
    registryObject(ids),
    coinObject(coins.sui, suiType, faucetAddress),
    coinObject(coins.wal, ids.walType, faucetAddress),
  ];
}

function packageObject(id: string): SystemObject {
  return { id, type: packageType, owner: { kind: 'immutable' }, contents: new Uint8Array() };
}

function registryObject(ids: NetworkIds): SystemObject {
  const fresh = [ids.registryId, ids.registryTableId];
  const { id, type, value } = createRegistry(ids.accountPackageId, () => fresh.shift()!);
  return {
    id,
    type,
    owner: { kind: 'shared', initialVersion: 1n },
    contents: registryBcs.serialize(value).toBytes(),
  };
}

function coinObject(id: string, coinType: string, address: string): SystemObject {
  const contents = encodeCoin(id, faucetFunds);
  return { id, type: coinOf(coinType), owner: { kind: 'address', address }, contents };
}

/** The key servers' registrations as objects. */
export function keyServerObjects(registered: {
  objects: readonly GenesisObject[];
  fields: readonly GenesisField[];
}): SystemObject[] {
  return [
    ...registered.objects.map(
      ({ objectId, type, contents }): SystemObject => ({
        id: objectId,
        type,
        owner: { kind: 'shared', initialVersion: 1n },
        contents,
      }),
    ),
    ...registered.fields.map(({ parent, nameType, name, valueType, value }): SystemObject => {
      const id = fieldId(parent, { type: nameType, bytes: name });
      return {
        id,
        type: fieldTypeOf(nameType, valueType),
        owner: { kind: 'object', parent },
        contents: fieldContents(id, name, value),
      };
    }),
  ];
}
