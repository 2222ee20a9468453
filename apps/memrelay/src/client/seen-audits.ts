import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SeenHead } from '@memrelay/protocol/audit-check';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';

/** The end of each audit log that this machine has seen, in a file that only its owner can read or change. */
const seenPath = (): string => join(dataDir(), 'audit-heads.json');

type SeenHeads = Record<string, SeenHead>;

/** Every relayer has its own log of an account. */
const nameOf = (relayer: string, accountId: string): string => `${new URL(relayer).origin} ${accountId}`;

/** Undefined before the first time. Throws `ExitError` for a file that cannot be used. */
export async function readSeen(relayer: string, accountId: string): Promise<SeenHead | undefined> {
  return (await readAll())[nameOf(relayer, accountId)];
}

export async function saveSeen(relayer: string, accountId: string, seen: SeenHead): Promise<void> {
  const all = { ...(await readAll()), [nameOf(relayer, accountId)]: seen };
  await writeSecretFile(seenPath(), `${JSON.stringify(all, null, 2)}\n`);
}

async function readAll(): Promise<SeenHeads> {
  const text = await readFile(seenPath(), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  try {
    return JSON.parse(text) as SeenHeads;
  } catch {
    throw new ExitError(
      exitCodes.usage,
      `${seenPath()} is not valid JSON. Move it away: the next check then trusts the log as it is.`,
    );
  }
}
