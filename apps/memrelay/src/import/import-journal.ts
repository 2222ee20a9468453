import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunJournal } from '@memrelay/import-files/run-import';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { z } from 'zod';
import { readIfThere } from '../system/secret-file.ts';

/**
 * Progress of one import, so that a killed one can be resumed. The first line names the run; every further line is one
 * chunk that the relayer has acknowledged, or the end. Chunk n is sent under the idempotency key `<run>.<n>`, so a
 * chunk whose acknowledgement was lost is sent again under the same key and stores nothing twice. Contains job ids and
 * positions in the file, no text.
 */
export interface ImportJournal extends RunJournal {
  /** How an earlier run ended, if it did */
  readonly ended: { at: string; failed: readonly number[] } | undefined;
  close(): Promise<void>;
}

const header = z.object({ version: z.literal(1), run: z.string(), only: z.array(z.number()).optional() });
const record = z.union([
  z.object({ chunk: z.number(), job_ids: z.array(z.string()) }),
  z.object({ ended_at: z.string(), failed: z.array(z.number()) }),
]);

/** The journal's path. Importing the same file to the same destination is the same import. */
export function journalPath(
  directory: string,
  target: { content: string; serverUrl: string; accountId: string; namespace: string },
): string {
  const hash = createHash('sha256');
  for (const part of [target.content, target.serverUrl, target.accountId, target.namespace])
    hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return join(directory, `${hash.digest('hex').slice(0, 32)}.jsonl`);
}

/** Opens the journal at `path`; starts a new one if it does not exist or cannot be read. */
export async function openJournal(path: string): Promise<ImportJournal> {
  const text = await readIfThere(path);
  const lines = text?.split('\n') ?? [];
  const head = header.safeParse(parse(lines[0]));
  if (!head.success) return beginJournal(path, undefined);
  const acknowledged = new Map<number, readonly string[]>();
  let ended: ImportJournal['ended'];
  for (const line of lines.slice(1)) {
    // A line cut off by a crash was never acted upon: its chunk is sent again under the same key.
    const entry = record.safeParse(parse(line));
    if (!entry.success) continue;
    if ('chunk' in entry.data) acknowledged.set(entry.data.chunk, entry.data.job_ids);
    else ended = { at: entry.data.ended_at, failed: entry.data.failed };
  }
  const file = await open(path, 'a');
  // Ends a truncated line, so that the next one starts on its own line.
  if (!text!.endsWith('\n')) await file.write('\n');
  return journal(file, head.data, acknowledged, ended);
}

/**
 * Starts a new run of an import: of all memories, or only those at the indexes `only`. Replaces the earlier journal.
 */
export async function beginJournal(
  path: string,
  only: readonly number[] | undefined,
): Promise<ImportJournal> {
  const head = { version: 1 as const, run: `import-${randomUUID()}`, ...(only ? { only: [...only] } : {}) };
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  await writeSecretFile(path, `${JSON.stringify(head)}\n`);
  return journal(await open(path, 'a'), head, new Map(), undefined);
}

function journal(
  file: FileHandle,
  { run, only }: z.infer<typeof header>,
  acknowledged: Map<number, readonly string[]>,
  ended: ImportJournal['ended'],
): ImportJournal {
  // Chunks are acknowledged in any order, so writes are queued to keep lines complete.
  let last = Promise.resolve();
  const append = (entry: z.infer<typeof record>): Promise<void> => {
    last = last.then(async () => {
      await file.appendFile(`${JSON.stringify(entry)}\n`);
      await file.datasync();
    });
    return last;
  };
  return {
    run,
    only,
    acknowledged,
    ended,
    async acknowledge(chunk, jobIds) {
      acknowledged.set(chunk, jobIds);
      await append({ chunk, job_ids: [...jobIds] });
    },
    end: (failed) => append({ ended_at: new Date().toISOString(), failed: [...failed] }),
    close: () => file.close(),
  };
}

function parse(line: string | undefined): unknown {
  try {
    return JSON.parse(line ?? '');
  } catch {
    return undefined;
  }
}
