import type { MemRelay } from '@memrelay/sdk';

/** What records need of a client. */
export type RecordClient = Pick<MemRelay, 'memories' | 'rememberBulk' | 'forget'>;

/** A memory that is read by its tags, and whose text a program has written for itself. */
export interface StoredRecord {
  /** Id of the memory */
  id: string;
  text: string;
}

export interface NewRecord {
  /** Must be unique in the namespace: the relayer stores each text once */
  text: string;
  tags: readonly string[];
}

/** Ids per request of `forget` */
const idsPerRequest = 200;

/**
 * The records with all these tags, newest first. It contains each one from the moment it was accepted. Records that nothing can
 * read any more are left out; throws if one cannot be read at the moment.
 */
export async function* listRecords(
  memory: RecordClient,
  namespace: string,
  tags: readonly string[],
  pageSize = 100,
): AsyncGenerator<StoredRecord, void, undefined> {
  const entries = memory.memories({ namespace, tags: { all: tags }, texts: true, limit: pageSize });
  for await (const { id, text, error } of entries) {
    if (text !== undefined) yield { id, text };
    else if (error === 'unavailable')
      throw new Error(`The memory ${id} cannot be read at the moment. Retry later.`);
  }
}

/** Stores records. Resolves when the relayer has accepted them; a list then contains them, in this order. */
export async function writeRecords(
  memory: RecordClient,
  namespace: string,
  records: readonly NewRecord[],
): Promise<void> {
  if (records.length > 0)
    await memory.rememberBulk(records.map(({ text, tags }) => ({ text, tags, namespace })));
}

export async function removeRecords(
  memory: RecordClient,
  namespace: string,
  ids: readonly string[],
): Promise<void> {
  for (let i = 0; i < ids.length; i += idsPerRequest)
    await memory.forget({ ids: ids.slice(i, i + idsPerRequest), namespace });
}

/** A tag for a name of any length. A tag has at most 64 characters. */
export async function tagOf(kind: string, ...names: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(names));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `${kind}:${[...hash.subarray(0, 20)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
