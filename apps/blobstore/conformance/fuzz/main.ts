import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runFuzz } from './run-fuzz.ts';

const usage = `Sends malformed and unusual requests to a blob store and reports responses that must never occur.

  node apps/blobstore/conformance/fuzz/main.ts URL [--seed N] [--cases N]

BLOBSTORE_ADMIN_TOKEN includes the admin routes, BLOBSTORE_JWT_DECODE_SECRET signs tokens. It stores many blobs, so
run it against a separate store.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, cases: { type: 'string', default: '50000' } },
});
const [url] = positionals;
const seed = Number(values.seed ?? randomInt(2 ** 32));
if (url === undefined || !Number.isInteger(seed)) {
  process.stdout.write(usage);
  process.exit(2);
}
process.stdout.write(`seed ${seed}\n`);
const { statuses, failures } = await runFuzz({
  url,
  seed,
  cases: Number(values.cases),
  adminToken: process.env.BLOBSTORE_ADMIN_TOKEN || undefined,
  tokenSecret: process.env.BLOBSTORE_JWT_DECODE_SECRET,
});
for (const failure of failures) process.stdout.write(`${failure}\n`);
const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
process.stdout.write(`${counts.join(', ')}; ${failures.length} failed\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
