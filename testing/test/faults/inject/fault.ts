import type { Random } from '../../../src/seeded-random.ts';
import type { FaultWorld } from '../world/fault-world.ts';

/** One thing that goes wrong, and is over when `run` resolves. */
export interface Fault {
  /** `kill relayer at claimed`, `publisher answers 500`, … */
  kind: string;
  /** Drawn so often as others with half the weight, twice */
  weight: number;
  /** True when it certainly happened: only then it is counted */
  run(world: FaultWorld, random: Random): Promise<boolean>;
}

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
