import { mkdirSync, statfsSync } from 'node:fs';
import { runCommand } from '../../../src/services/run-command.mjs';

/** A separate file system whose free space can be removed and restored while it is in use. */
export interface SmallDisk {
  /** Removes all free space */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Unmounts it, which deletes its contents */
  remove(): Promise<void>;
}

const megabytes = 1_024;
/** More than one, because the used space may have grown between reading it and setting the limit */
const maxTries = 20;

/** Mounts a small disk on `directory`. Undefined if this process may not mount (that needs root). */
export async function mountSmallDisk(directory: string): Promise<SmallDisk | undefined> {
  mkdirSync(directory, { recursive: true });
  const mount = (options: string) =>
    runCommand('mount', ['-t', 'tmpfs', '-o', options, 'memrelay-faults', directory]);
  try {
    await mount(`size=${megabytes}m`);
  } catch {
    return undefined;
  }
  return {
    async fill() {
      for (let tries = 1; ; tries++) {
        const { blocks, bfree, bsize } = statfsSync(directory);
        try {
          // A tmpfs of size 0 would have no limit
          return void (await mount(`remount,size=${Math.max(1, blocks - bfree) * bsize}`));
        } catch (error) {
          if (tries === maxTries) throw error;
        }
      }
    },
    free: async () => void (await mount(`remount,size=${megabytes}m`)),
    remove: async () => void (await runCommand('umount', ['--lazy', directory])),
  };
}
