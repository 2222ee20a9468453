import { parseArgs } from 'node:util';
import { lineOf, summaryOf } from './print-results.ts';
import { allRows } from './rows/all-rows.ts';
import { type Result, runRow } from './run-row.ts';
import { openSession, type Targets } from './session.ts';

type Environment = Record<string, string | undefined>;

export const usage = `Holds a Walrus publisher and aggregator against what release 1.56 does on the wire.

  npm run conformance:blobstore -- URL
  npm run conformance:blobstore -- --publisher URL --aggregator URL

  URL                    a daemon that is both
  --token-publisher URL  one that asks for tokens and verifies uploads: --jwt-verify-upload, HS256
  --tight URL            a blob store with --max-body-size 1 --max-quilt-body-size 64
                         --publisher-max-concurrent-requests 1 --publisher-max-buffer-size 1
  --restricted URL       one with --max-blob-size 500 and a --blocklist of what restrictions.ts stores
  --relay URL            an upload relay on the same chain; a blob store with a chain is one
  --shards N             shards that its blob IDs are computed for (1000)

Secrets are variables: BLOBSTORE_ADMIN_TOKEN for the rows that set attributes, delete and end an epoch, and
BLOBSTORE_JWT_DECODE_SECRET for those about tokens. Rows marked "ours" hold for the blob store of this
repository alone, those marked "walrus" for all others. Stores cost what they cost: think twice on mainnet.
`;

/** Throws an error with words for a person when the arguments make no sense. */
export function parseTargets(args: string[], env: Environment): Targets {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      publisher: { type: 'string' },
      aggregator: { type: 'string' },
      'token-publisher': { type: 'string' },
      tight: { type: 'string' },
      restricted: { type: 'string' },
      relay: { type: 'string' },
      shards: { type: 'string' },
    },
  });
  const [both] = positionals;
  const targets = { publisher: values.publisher ?? both, aggregator: values.aggregator ?? both };
  if (positionals.length > 1 || (!targets.publisher && !targets.aggregator)) throw new Error(usage);
  const secret = env.BLOBSTORE_JWT_DECODE_SECRET;
  const publisher = values['token-publisher'];
  if (publisher !== undefined && !secret)
    throw new Error('--token-publisher needs BLOBSTORE_JWT_DECODE_SECRET');
  const shards = Number(values.shards ?? 1000);
  if (!Number.isInteger(shards) || shards < 4) throw new Error('--shards must be a whole number from 4');
  return {
    ...targets,
    ...(env.BLOBSTORE_ADMIN_TOKEN ? { adminToken: env.BLOBSTORE_ADMIN_TOKEN } : {}),
    ...(publisher === undefined ? {} : { tokens: { publisher, secret: secret! } }),
    tight: values.tight,
    restricted: values.restricted,
    relay: values.relay,
    shards,
  };
}

/** Runs all rows and prints a table. Returns the exit code: 1 when a row fails, 2 when nothing could be run. */
export async function runConformance(
  args: string[],
  env: Environment,
  print: (text: string) => void,
): Promise<number> {
  const results: Result[] = [];
  try {
    const session = await openSession(parseTargets(args, env));
    print(session.ours ? 'A blob store of this repository' : 'Another Walrus service');
    let section = '';
    for (const row of allRows) {
      if (row.section !== section) print(`\n${row.section}`);
      section = row.section;
      const result = await runRow(session, row);
      results.push(result);
      print(lineOf(result));
    }
  } catch (error) {
    print((error as Error).message);
    return 2;
  }
  print(summaryOf(results));
  return results.some(({ outcome }) => outcome === 'fails') ? 1 : 0;
}
