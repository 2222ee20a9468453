import { constants, open, readFile } from 'node:fs/promises';

/** The extent of a journal: the run of the store that wrote it, and how many of its bytes were synced. */
export interface JournalHead {
  run: number;
  bytes: number;
}

/** Always overwritten with the same length, so that a crash leaves either the old or the new one. */
const headLength = 40;

function pathOf(journal: string): string {
  return journal.replace(/\.jsonl$/, '.head');
}

/** The head of the newest journal that was written here; undefined when there is none. */
export async function readHead(journal: string): Promise<JournalHead | undefined> {
  try {
    const match = /^(\d+) (\d+) *\n$/.exec(await readFile(pathOf(journal), 'latin1'));
    return match === null ? undefined : { run: Number(match[1]), bytes: Number(match[2]) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Whether records that were acknowledged are missing from a journal: it is a copy from before the newest run, or it
 * was truncated. `found` is the head of the current journal. It has no `run` if the journal was written by a
 * version without heads.
 */
export function isBehind(found: { run: number | undefined; bytes: number }, head: JournalHead | undefined) {
  if (head === undefined) return found.run !== undefined;
  const run = found.run ?? 0;
  // A run newer than the head's ended before it wrote its own head.
  return run < head.run || (run === head.run && found.bytes < head.bytes);
}

/**
 * Writes heads next to a journal. They are not synced, because an old head that reappears after a power failure
 * only detects less.
 */
export async function openHead(journal: string): Promise<{
  write(head: JournalHead): Promise<void>;
  close(): Promise<void>;
}> {
  const handle = await open(pathOf(journal), constants.O_RDWR | constants.O_CREAT, 0o600);
  return {
    async write({ run, bytes }) {
      await handle.write(`${`${run} ${bytes}`.padEnd(headLength - 1)}\n`, 0, 'latin1');
    },
    close: () => handle.close(),
  };
}
