import { randomBytes } from 'node:crypto';
import { wrapType } from '@memrelay/envelope/wraps';
import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/base/config/config-error.ts';
import { checkKeyServers, readKeyServers } from '../../src/keys/key-servers.ts';
import { wrapsColumn } from '../../src/keys/namespace-keys.ts';
import { unconfiguredSets } from '../../src/keys/unconfigured-sets.ts';
import { databases, type TestDb } from '../support/databases.ts';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const server = (objectId = `0x${hex(32)}`) => ({ objectId, weight: 1, publicKey: hex(96) });

/** A wrap that names no key servers */
const unknown = wrapsColumn([{ type: wrapType.recovery, bytes: randomBytes(112) }]);

describe.each(databases)('key servers at the boot on $name', ({ create }) => {
  let database: TestDb;
  let packageId: string;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());
  beforeEach(() => {
    packageId = `0x${hex(32)}`;
  });

  /** Log output of a boot with this response of the sidecar. */
  async function boot(historical: KeyServersResponse['historical'], current = hex(32)): Promise<string> {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const answer = { current, threshold: 1, servers: [server()], historical };
    const keyServers = await readKeyServers({ keyServers: async () => answer });
    await checkKeyServers({ keyServers, db: database.db, packageId, log });
    return lines.join('');
  }

  async function keyFor(set: string, tag: Buffer, epoch = 0, column = unknown): Promise<void> {
    await database.db.query(
      `INSERT INTO namespace_key (account_id, tag, key_epoch, server_set, period, recipient_pk, wraps, mac)
       VALUES ($1, $2, $3, $4, 0, $5, $6, $7)`,
      [Buffer.alloc(32, 1), tag, epoch, set, randomBytes(32), column, randomBytes(32)],
    );
  }

  test('pins historical ones as well: a changed public key stops the boot', async () => {
    const known = server();
    const past = { id: hex(32), servers: [known] };
    await boot([past]);
    await boot([past]);
    const changed = { ...past, servers: [{ ...known, publicKey: hex(96) }] };
    await expect(boot([changed])).rejects.toThrow(ConfigError);
    await boot([past]);
  });

  test('warns of historical ones that cannot be read from the chain', async () => {
    const unread = { id: hex(32) };
    const log = await boot([unread]);
    expect(log).toContain('cannot be read');
    expect(log).toContain(unread.id);
  });

  test('logs the number of namespaces whose keys are for unknown sets', async () => {
    const [current, past, lost] = [hex(32), hex(32), hex(32)];
    const [one, two] = [randomBytes(16), randomBytes(16)];
    await keyFor(current, one);
    await keyFor(past, one);
    await keyFor(lost, one, 0);
    await keyFor(lost, one, 1);
    await keyFor(lost, two);
    const configured = { id: past, servers: [server()] };
    expect(await boot([configured], current)).toContain('memories of 2 namespaces');
    expect(await boot([configured, { id: lost, servers: [server()] }], current)).toBe('');
    expect(await unconfiguredSets(database.db, { current, historical: [past] })).toEqual([
      { id: lost, namespaces: 2, entry: undefined },
    ]);
    // Rewrapped for the current set, the key no longer needs the lost one
    await database.db.query(
      `INSERT INTO key_rewrap (account_id, recipient_pk, server_set, wrap)
       SELECT account_id, recipient_pk, $1, wraps FROM namespace_key WHERE server_set = $2 AND tag = $3`,
      [current, lost, two],
    );
    expect(await unconfiguredSets(database.db, { current, historical: [past] })).toEqual([
      { id: lost, namespaces: 1, entry: undefined },
    ]);
  });

  test('does not count keys with a wrap for the current set', async () => {
    const [current, lost] = [hex(32), hex(32)];
    await keyFor(lost, randomBytes(16));
    const rewrap = (set: string) =>
      database.db.query(
        `INSERT INTO key_rewrap (account_id, recipient_pk, server_set, wrap)
         SELECT account_id, recipient_pk, $1, $2 FROM namespace_key WHERE server_set = $3`,
        [set, randomBytes(404), lost],
      );
    const counted = async () =>
      (await unconfiguredSets(database.db, { current, historical: [] })).some(({ id }) => id === lost);
    await rewrap(hex(32));
    expect(await counted()).toBe(true);
    await rewrap(current);
    expect(await counted()).toBe(false);
  });

  test('boots despite a damaged row', async () => {
    const [current, lost] = [hex(32), hex(32)];
    const broken = wrapsColumn([{ type: wrapType.seal, bytes: randomBytes(50) }]);
    await keyFor(lost, randomBytes(16), 0, broken.subarray(0, 20));
    await keyFor(`${lost}b`, randomBytes(16), 0, broken);
    const log = await boot([], current);
    expect(log).toContain(lost);
    expect(log).toContain(`${lost}b`);
  });
});
