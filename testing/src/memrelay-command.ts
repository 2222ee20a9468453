import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@memrelay/process/compile-cache';
import type { TestNetwork } from './test-network.ts';
import { credentialsOf, type TestOwner } from './test-owner.ts';

export const memrelayEntry = fileURLToPath(new URL('../../apps/memrelay/src/main.ts', import.meta.url));

export interface CommandEnd {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `memrelay` until it exits. Of this process's environment it gets only PATH and the compiled modules. */
export function runMemrelay(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<CommandEnd> {
  const env = { PATH: process.env.PATH, ...compileCache(), ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [memrelayEntry, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/**
 * `memrelay` with the credentials of an owner's first delegate key, as a program would run it (`--json`). Each call
 * resolves to the exit code and the last line of JSON.
 */
export async function commandOf(network: TestNetwork, owner: TestOwner, relayerUrl: string) {
  const path = join(network.dataDir, `${owner.accountId}.json`);
  const credentials = credentialsOf(network, owner, relayerUrl);
  await writeFile(path, JSON.stringify(credentials), { mode: 0o600 });
  return async (...args: string[]) => {
    const allArgs = [...args, '--credentials', path, '--json'];
    const { code, stdout } = await runMemrelay(allArgs, { HOME: network.dataDir });
    return { code, last: JSON.parse(stdout.trim().split('\n').at(-1)!) };
  };
}
