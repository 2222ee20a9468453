import { openSqlite, type SqliteDatabase, type SqliteStatement } from '@memrelay/process/sqlite';
import { splitStructTag } from './type-tags.ts';
import type { ChainEvent, ChainObject, Owner } from './types.ts';

/**
 * The chain's state and history in one SQLite file. SQLite's write-ahead log serves as the append-only journal: its
 * frames have checksums, a torn tail is dropped at the next open, and checkpoints merge it into the file. With
 * `synchronous=FULL` every commit waits for fsync, so an acknowledged transaction survives a kill and a power
 * failure. The time to open the file does not depend on the length of the chain.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS object (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, digest TEXT NOT NULL,
    owner_kind TEXT NOT NULL, owner TEXT NOT NULL, type TEXT NOT NULL,
    contents BLOB NOT NULL, previous_transaction TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS object_owner ON object (owner, owner_kind, type, id);
  CREATE TABLE IF NOT EXISTS tx (
    seq INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, sender TEXT NOT NULL, calls TEXT NOT NULL,
    checkpoint_digest TEXT NOT NULL, timestamp_ms INTEGER NOT NULL, epoch INTEGER NOT NULL, executed BLOB NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS tx_checkpoint ON tx (checkpoint_digest);
  CREATE TABLE IF NOT EXISTS event (
    seq INTEGER PRIMARY KEY, tx_seq INTEGER NOT NULL, tx_digest TEXT NOT NULL, event_index INTEGER NOT NULL,
    package_id TEXT NOT NULL, module TEXT NOT NULL, sender TEXT NOT NULL, type TEXT NOT NULL, contents BLOB NOT NULL,
    type_module TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS event_type ON event (type_module, seq);
  CREATE INDEX IF NOT EXISTS event_tx ON event (tx_seq);`;

/** A transaction in the history. `seq` is also the number of its checkpoint, which has no other transaction. */
export interface StoredTransaction {
  seq: number;
  digest: string;
  sender: string;
  /** Called functions, `package::module::function` */
  calls: readonly string[];
  checkpointDigest: string;
  timestampMs: number;
  epoch: number;
  /** Complete `sui.rpc.v2.ExecutedTransaction` */
  executed: Uint8Array;
}

/** An event with its position: `seq` counts all events of the chain, from 1. */
export interface StoredEvent extends ChainEvent {
  seq: number;
  checkpoint: number;
  transactionDigest: string;
  eventIndex: number;
}

export interface Commit {
  transaction: StoredTransaction;
  written: readonly ChainObject[];
  deleted: readonly string[];
  events: readonly ChainEvent[];
}

type Row = Record<string, string | number | bigint | Uint8Array | null>;

export class ChainStore {
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();

  /** `path` is a file, or `:memory:` for a chain that ends with the process. */
  constructor(path: string) {
    this.#database = openSqlite(path);
    this.#database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
    this.#database.exec(schema);
  }

  close(): void {
    this.#database.close();
  }

  getMeta(key: string): string | undefined {
    const row = this.#prepare('SELECT value FROM meta WHERE key = ?').get(key) as Row | undefined;
    return row?.value as string | undefined;
  }

  setMeta(key: string, value: string): void {
    this.#prepare(
      'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    ).run(key, value);
  }

  object(id: string): ChainObject | undefined {
    const row = this.#prepare('SELECT * FROM object WHERE id = ?').get(id) as Row | undefined;
    return row && toObject(row);
  }

  /** Objects of an address, ordered by (type, id), after that position. `type` is a type or a type prefix. */
  ownedBy(address: string, type: string, after: readonly [string, string], limit: number): ChainObject[] {
    const rows = this.#prepare(
      `SELECT * FROM object WHERE owner = ? AND owner_kind = 'address' AND type >= ? AND type < ?
       AND (type, id) > (?, ?) ORDER BY type, id LIMIT ?`,
    ).all(address, type, `${type}\u{10ffff}`, after[0], after[1], limit) as Row[];
    return rows.map(toObject);
  }

  /** Dynamic fields of an object in order of id. */
  fieldsOf(parent: string, after: string, limit: number): ChainObject[] {
    const rows = this.#prepare(
      `SELECT * FROM object WHERE owner = ? AND owner_kind = 'object' AND id > ? ORDER BY id LIMIT ?`,
    ).all(parent, after, limit) as Row[];
    return rows.map(toObject);
  }

  transaction(digest: string): StoredTransaction | undefined {
    const row = this.#prepare('SELECT * FROM tx WHERE digest = ?').get(digest) as Row | undefined;
    return row && toTransaction(row);
  }

  transactionAt(seq: number): StoredTransaction | undefined {
    const row = this.#prepare('SELECT * FROM tx WHERE seq = ?').get(seq) as Row | undefined;
    return row && toTransaction(row);
  }

  checkpointSeq(digest: string): number | undefined {
    const row = this.#prepare('SELECT seq FROM tx WHERE checkpoint_digest = ?').get(digest) as
      | Row
      | undefined;
    return row?.seq as number | undefined;
  }

  lastTransaction(): StoredTransaction | undefined {
    const row = this.#prepare('SELECT * FROM tx ORDER BY seq DESC LIMIT 1').get() as Row | undefined;
    return row && toTransaction(row);
  }

  /** Transactions strictly between two positions, in either direction. */
  transactions(range: PositionRange): StoredTransaction[] {
    return this.#range('tx', range).map(toTransaction);
  }

  /**
   * Events strictly between two positions, in either direction. With `typeModule` (`0x…::module`), only events
   * whose type belongs to that module, so that polling for them does not read all other events.
   */
  events(range: PositionRange, typeModule?: string): StoredEvent[] {
    if (typeModule === undefined) return this.#range('event', range).map(toEvent);
    return this.#range('event', range, 'AND type_module = ?', [typeModule]).map(toEvent);
  }

  /** The position of the last event up to and including a checkpoint; 0 when there is none. */
  lastEventSeq(checkpoint: number): number {
    const row = this.#prepare('SELECT max(seq) AS seq FROM event WHERE tx_seq <= ?').get(checkpoint) as Row;
    return Number(row.seq ?? 0);
  }

  /** Writes a transaction and its changes. They are on disk on return. */
  commit({ transaction, written, deleted, events }: Commit): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      this.#writeTransaction(transaction);
      for (const object of written) this.#writeObject(object);
      for (const id of deleted) this.#prepare('DELETE FROM object WHERE id = ?').run(id);
      for (const [index, event] of events.entries()) this.#writeEvent(transaction, event, index);
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #writeTransaction(tx: StoredTransaction): void {
    this.#prepare('INSERT INTO tx VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
      tx.seq,
      tx.digest,
      tx.sender,
      tx.calls.join('\n'),
      tx.checkpointDigest,
      tx.timestampMs,
      tx.epoch,
      tx.executed,
    );
  }

  #writeObject(object: ChainObject): void {
    this.#prepare('INSERT OR REPLACE INTO object VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
      object.id,
      object.version,
      object.digest,
      object.owner.kind,
      ownerText(object.owner),
      object.type,
      object.contents,
      object.previousTransaction,
    );
  }

  #writeEvent(tx: StoredTransaction, event: ChainEvent, index: number): void {
    this.#prepare('INSERT INTO event VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
      tx.seq,
      tx.digest,
      index,
      event.packageId,
      event.module,
      event.sender,
      event.type,
      event.contents,
      splitStructTag(event.type).module,
    );
  }

  #range(table: 'tx' | 'event', range: PositionRange, condition = '', values: string[] = []): Row[] {
    const { after, before, descending, limit } = range;
    const order = descending ? 'DESC' : 'ASC';
    const sql = `SELECT * FROM ${table} WHERE seq > ? AND seq < ? ${condition} ORDER BY seq ${order} LIMIT ?`;
    return this.#prepare(sql).all(after, before, ...values, limit) as Row[];
  }

  #prepare(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** An open interval of positions in the history. */
export interface PositionRange {
  after: number;
  before: number;
  descending: boolean;
  limit: number;
}

function ownerText(owner: Owner): string {
  switch (owner.kind) {
    case 'address':
      return owner.address;
    case 'object':
      return owner.parent;
    case 'shared':
      return owner.initialVersion.toString();
    case 'immutable':
      return '';
  }
}

function ownerFromRow(kind: string, owner: string): Owner {
  switch (kind) {
    case 'address':
      return { kind, address: owner };
    case 'object':
      return { kind, parent: owner };
    case 'shared':
      return { kind, initialVersion: BigInt(owner) };
    default:
      return { kind: 'immutable' };
  }
}

function toObject(row: Row): ChainObject {
  return {
    id: row.id as string,
    version: BigInt(row.version as number),
    digest: row.digest as string,
    owner: ownerFromRow(row.owner_kind as string, row.owner as string),
    type: row.type as string,
    contents: row.contents as Uint8Array,
    previousTransaction: row.previous_transaction as string,
  };
}

function toTransaction(row: Row): StoredTransaction {
  return {
    seq: row.seq as number,
    digest: row.digest as string,
    sender: row.sender as string,
    calls: (row.calls as string).split('\n').filter(Boolean),
    checkpointDigest: row.checkpoint_digest as string,
    timestampMs: row.timestamp_ms as number,
    epoch: row.epoch as number,
    executed: row.executed as Uint8Array,
  };
}

function toEvent(row: Row): StoredEvent {
  return {
    seq: row.seq as number,
    checkpoint: row.tx_seq as number,
    transactionDigest: row.tx_digest as string,
    eventIndex: row.event_index as number,
    packageId: row.package_id as string,
    module: row.module as string,
    sender: row.sender as string,
    type: row.type as string,
    contents: row.contents as Uint8Array,
  };
}
