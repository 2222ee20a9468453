import { parseArgs } from 'node:util';
import { lineOf, summaryOf } from './print-results.ts';
import { allRows } from './rows/all-rows.ts';
import { type Result, runRow } from './run-row.ts';
import { openSession, type Targets } from './session.ts';

type Environment = Record<string, string | undefined>;

export const usage = `Compares a Walrus publisher and aggregator with the wire behaviour of release 1.56.

  npm run conformance:blobstore -- URL
  npm run conformance:blobstore -- --publisher URL --aggregator URL

  URL                    a daemon that is both publisher and aggregator
  --token-publisher URL  a publisher that requires HS256 tokens, with --jwt-verify-upload
  --tight URL            a blob store with --max-body-size 1 --max-quilt-body-size 64
                         --publisher-max-concurrent-requests 1 --publisher-max-buffer-size 1
  --restricted URL       a blob store with --max-blob-size 500 and a --blocklist of the blobs in restrictions.ts
  --relay URL            an upload relay on the same chain, for example a blob store with a chain
  --shards N             number of shards for which the daemon computes blob IDs (1000)

Set secrets as variables: BLOBSTORE_ADMIN_TOKEN for the rows that set attributes, delete, or end an epoch, and
BLOBSTORE_JWT_DECODE_SECRET for the token rows. Rows marked "ours" apply only to the blob store of this repository,
rows marked "walrus" only to other services. Every store is paid for, so be careful on mainnet.
`;

/** Parses the command line. Throws an error with a readable message if the arguments are invalid. */
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
