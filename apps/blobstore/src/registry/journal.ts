import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { replaceFile } from '../storage/durable-file.ts';

/**
 * An append-only file of JSON records. Each line has the CRC-32 of a record and the record. An append is durable
 * when its promise resolves. Appends that arrive during a sync share the next one. The remains of a failed append
 * are truncated before the next write; while that is impossible, appends fail.
 */
export interface Journal<T> {
  append(record: T): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  line: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

function toLine(record: unknown): string {
  const json = JSON.stringify(record);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}

function parseLine(line: string): unknown {
  const json = line.slice(9);
  const intact = line[8] === ' ' && line.slice(0, 8) === crc32(json).toString(16).padStart(8, '0');
  return intact ? JSON.parse(json) : undefined;
}

/**
 * Reads all records of a journal, and the total bytes of their lines. Damaged lines at the end are dropped, because
 * a crash may have left an incomplete line; the journal's head shows whether more is missing. Throws if a damaged
 * line precedes an intact one.
 */
export async function readJournal<T>(path: string): Promise<{ records: T[]; bytes: number }> {
  const records: T[] = [];
  let bytes = 0;
  let damagedLine: number | undefined;
  let lineNumber = 0;
  for await (const line of linesOf(path)) {
    lineNumber += 1;
    const record = parseLine(line);
    if (record === undefined) {
      damagedLine ??= lineNumber;
      continue;
    }
    if (damagedLine !== undefined) {
      throw new Error(
        `${path} is damaged in line ${damagedLine}: restore it from a backup, or move it away; ` +
          'lost entries are then rebuilt from the blobs, as far as possible',
      );
    }
    records.push(record as T);
    bytes += Buffer.byteLength(line) + 1;
  }
  return { records, bytes };
}

async function* linesOf(path: string): AsyncGenerator<string> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  yield* file.readLines();
}

/**
 * Opens a journal whose content is exactly `records` (rewritten, so that no torn tail remains). `onSynced` receives
 * every durable size.
 */
export async function openJournal<T>(
  path: string,
  records: readonly T[],
  onSynced: (bytes: number) => Promise<void> = async () => undefined,
): Promise<Journal<T>> {
  await replaceFile(path, records.map(toLine));
  const handle = await open(path, 'a', 0o600);
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  /** Length of the file, all of it synced */
  let { size } = await handle.stat();
  let isTorn = false;
  await onSynced(size);

  async function write(file: FileHandle, lines: string): Promise<void> {
    if (isTorn) {
      await file.truncate(size);
      await file.sync();
    }
    isTorn = true;
    await file.appendFile(lines);
    await file.sync();
    isTorn = false;
    size += Buffer.byteLength(lines);
    await onSynced(size);
  }

  async function flush(file: FileHandle): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await write(file, batch.map(({ line }) => line).join(''));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    writing = undefined;
  }

  return {
    append(record) {
      return new Promise((resolve, reject) => {
        waiting.push({ line: toLine(record), resolve, reject });
        writing ??= flush(handle);
      });
    },
    async close() {
      await writing;
      await handle.close();
    },
  };
}
