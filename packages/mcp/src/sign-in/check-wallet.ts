import type { HandOver } from '@memrelay/sdk/account/sign-in/hand-over';
import { Refusal } from './refusal.ts';

/**
 * A local system accepts only its own wallet: another user of the machine may have an account on its chain. Throws
 * `Refusal`.
 */
export function checkWallet(
  { walletAddress }: Pick<HandOver, 'walletAddress'>,
  expected: string | undefined,
): void {
  if (expected === undefined || walletAddress === expected) return;
  throw new Refusal(
    422,
    'other_wallet',
    `The tool expected the wallet of its local system, ${expected}. This key belongs to ${walletAddress}.`,
  );
}
