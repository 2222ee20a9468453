import { pino } from 'pino';
import { createTableNonces } from '../../src/api/rows/table-nonces.ts';
import { migrate } from '../../src/base/db/migrate.ts';
import { openDatabase } from '../../src/base/db/open-database.ts';

/** Run by a test that kills it: records one nonce, reports it, and keeps running. */
const [databaseUrl, key] = process.argv.slice(2) as [string, string];
const log = pino({ enabled: false });
const db = await openDatabase(databaseUrl, log);
await migrate(db);
const signedAt = Math.floor(Date.now() / 1000);
const answer = await createTableNonces({ db, log }).remember(Buffer.from(key, 'hex'), signedAt, 660);
process.stdout.write(`${answer}\n`);
