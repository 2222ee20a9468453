import type { Random } from '../../../src/seeded-random.ts';
import type { FaultWorld } from '../world/fault-world.ts';

/** A fault. It is over when `run` resolves. */
export interface Fault {
  /** `kill relayer at claimed`, `publisher answers 500`, … */
  kind: string;
  /** A fault with weight 2 is drawn twice as often as one with weight 1 */
  weight: number;
  /** True only when it certainly happened: others are not counted */
  run(world: FaultWorld, random: Random): Promise<boolean>;
}

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
