import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { isBlobId } from '../base/ids.ts';

/** The blobs that this operator neither serves nor stores. */
export interface Blocklist {
  has(blobId: string): boolean;
  close(): void;
}

export const emptyBlocklist: Blocklist = { has: () => false, close: () => undefined };

/** How often the file is checked; the real aggregator reads it every 30 s. */
const watchIntervalMs = 1000;

/** A line without the comment at its end. */
function withoutComment(line: string): string {
  return line.replace(/(^|\s)#.*$/, '').trimEnd();
}

/** The entries of a YAML list: one per line behind a dash, or all in brackets. Throws for anything else. */
function entriesOf(text: string): string[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map(withoutComment)
    .filter((line) => line !== '' && line !== '---' && line !== '...');
  const inBrackets = /^\s*\[(.*)\]$/.exec(lines.join(' '))?.[1];
  if (inBrackets !== undefined) return inBrackets.split(',').flatMap((entry) => entry.trim() || []);
  return lines.map((line) => {
    const entry = /^\s*-\s+(\S.*)$/.exec(line)?.[1];
    if (entry === undefined) throw new Error('it is not a YAML list, one "- <blob id>" per line');
    return entry;
  });
}

/**
 * The blob ids in a YAML list. Throws for anything else. An empty file is not an empty list (that is `[]`), because
 * it may be in the middle of being written.
 */
export function parseBlocklist(text: string): Set<string> {
  const entries = entriesOf(text);
  if (entries.length === 0 && !/\[\s*\]/.test(text)) throw new Error('it is empty; an empty list is []');
  const ids = entries.map((entry) => entry.replace(/^(["'])(.*)\1$/, '$2'));
  const wrong = ids.findIndex((id) => !isBlobId(id));
  if (wrong !== -1) throw new Error(`entry ${wrong + 1} is not a blob ID`);
  return new Set(ids);
}

async function readBlocklist(path: string): Promise<Set<string>> {
  const text = await readFile(path, 'utf8');
  try {
    return parseBlocklist(text);
  } catch (error) {
    throw new Error(`the blocklist ${path} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * A blocklist from a file, reloaded when the file changes. If it becomes invalid, that is logged and the last valid
 * list stays in force. Throws when the file cannot be read or used at the start.
 */
export async function openBlocklist(path: string, logger: Logger): Promise<Blocklist> {
  let blocked = await readBlocklist(path);
  let reading = Promise.resolve();

  async function readAgain(): Promise<void> {
    try {
      blocked = await readBlocklist(path);
      logger.info({ path, blobs: blocked.size }, 'blocklist reloaded');
    } catch (error) {
      logger.error({ err: error, path }, 'blocklist is invalid; keeping the last valid one');
    }
  }

  // Polls the file's state instead of using notifications, which not every file system sends, and which miss a
  // replaced link.
  watchFile(path, { interval: watchIntervalMs, persistent: false }, () => {
    reading = reading.then(readAgain);
  });
  return { has: (blobId) => blocked.has(blobId), close: () => unwatchFile(path) };
}
