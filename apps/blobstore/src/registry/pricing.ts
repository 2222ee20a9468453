import { storageCost, type WalrusPrices } from '@memrelay/chain/walrus-sizes';

/** The default prices that storage nodes vote for, in FROST (10⁻⁹ WAL). */
export const defaultPrices: WalrusPrices = { storage: 100_000n, write: 20_000n };

/** Price in FROST of registering `storageSize` encoded bytes for `epochs`. */
export function registrationCost(storageSize: number, epochs: number, prices: WalrusPrices): number {
  const { storage, write } = storageCost(storageSize, epochs, prices);
  return Number(storage + write);
}

/** Price in FROST of registering a blob in existing storage. */
export function writeCost(storageSize: number, prices: WalrusPrices): number {
  return Number(storageCost(storageSize, 0, prices).write);
}

/** Price in FROST of extending by `epochs`: only the storage fee for the additional epochs. */
export function extensionCost(storageSize: number, epochs: number, prices: WalrusPrices): number {
  return Number(storageCost(storageSize, epochs, prices).storage);
}
