/** Prices per storage unit, in FROST (10⁻⁹ WAL). */
export interface Prices {
  /** Per unit and epoch */
  storage: number;
  /** Per unit, once for each registration */
  write: number;
}

/** What storage nodes vote for by default. */
export const defaultPrices: Prices = { storage: 100_000, write: 20_000 };

const unitBytes = 1024 * 1024;

function units(storageSize: number): number {
  return Math.ceil(storageSize / unitBytes);
}

/** Price of registering `storageSize` encoded bytes for `epochs`. */
export function registrationCost(storageSize: number, epochs: number, prices: Prices): number {
  return units(storageSize) * (prices.storage * epochs + prices.write);
}

/** Price of prolonging by `epochs`: the storage fee for the difference alone. */
export function extensionCost(storageSize: number, epochs: number, prices: Prices): number {
  return units(storageSize) * prices.storage * epochs;
}
