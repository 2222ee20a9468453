import type { WalletLevel } from '../rows/wallet-rows.ts';

/** Minimum funds, in uploads, to rise a level: a wallet that gets one coin and spends it must not alert each time. */
const leastFilled = 10;
const leastHalfFilled = 5;

/**
 * The level of a wallet that can pay for `paysFor` uploads. It drops below the threshold and at zero, and rises only well
 * above: to `ok` at a quarter more than the threshold, from `empty` to `low` at half of it.
 */
export function walletLevel(before: WalletLevel, paysFor: number, threshold: number): WalletLevel {
  if (paysFor === 0) return 'empty';
  if (before === 'ok') return paysFor < threshold ? 'low' : 'ok';
  if (paysFor >= Math.max(leastFilled, Math.ceil(threshold * 1.25))) return 'ok';
  if (before === 'empty' && paysFor < Math.max(leastHalfFilled, Math.ceil(threshold / 2))) return 'empty';
  return 'low';
}
