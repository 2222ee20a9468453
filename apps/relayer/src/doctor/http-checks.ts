import { networkDefaults } from '@memrelay/protocol/networks';
import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import type { Config } from '../config/config.ts';
import { codeOf } from '../start/database-problem.ts';
import { clockFinding, type Finding, failed, ok, skipped, warning } from './finding.ts';

const timeoutMs = 6_000;

/** What a server answers to a GET, or why it does not. */
interface Answer {
  status?: number;
  problem?: string;
  tookMs: number;
  /** Its clock minus ours in ms, exact to a second */
  aheadMs?: number;
}

/** Checks each aggregator, and the clock of the first. */
export async function aggregatorChecks(urls: readonly string[]): Promise<Finding[]> {
  const answers = await Promise.all(urls.map((url) => get(url, 'status')));
  const findings = answers.map((answer, i) =>
    serverFinding(
      'aggregator',
      urls[i]!,
      answer,
      (status) => status === 200,
      i === 0 ? 'STORE_AGGREGATOR_URL' : 'STORE_AGGREGATOR_URLS',
    ),
  );
  if (urls.length === 1)
    findings.push(
      warning(
        'aggregator',
        'only one: recall fails when it is down',
        'name one of a different operator in STORE_AGGREGATOR_URLS',
      ),
    );
  const aheadMs = answers[0]?.aheadMs;
  if (aheadMs !== undefined) findings.push(clockFinding('the aggregator', -aheadMs, 1_000));
  return findings;
}

/** Checks the publisher, unless wallets pay for uploads. Any answer shows that it is there: it has no harmless route. */
export async function publisherCheck(
  publisherUrl: string | undefined,
  network: Config['network'],
  wallets: number,
): Promise<Finding> {
  const url = publisherUrl ?? (wallets > 0 ? undefined : networkDefaults[network].publisherUrl);
  if (url === undefined) return skipped('publisher', 'uploads are paid for by the wallets');
  return serverFinding('publisher', url, await get(url, ''), () => true, 'STORE_PUBLISHER_URL');
}

/** Checks each key server, and whether enough of them answer to open memories. */
export async function keyServerChecks({ servers, threshold }: KeyServersResponse): Promise<Finding[]> {
  const check = 'key_servers';
  const reached = await Promise.all(
    servers.map(async ({ objectId, url, aggregatorUrl, weight }) => {
      const base = aggregatorUrl ?? url;
      if (base === undefined) return { finding: skipped(check, `${objectId} has no address`), weight: 0 };
      const answer = await get(base, `v1/service?service_id=${objectId}`);
      // Some require an API key for this route, and that is an answer as well
      const isThere = (status: number) => status < 500 && status !== 404;
      const finding = serverFinding(check, base, answer, isThere, 'ENC_SERVER_CONFIGS');
      return { finding, weight: finding.state === 'ok' ? weight : 0 };
    }),
  );
  const findings = reached.map(({ finding }) => finding);
  const sum = reached.reduce((total, { weight }) => total + weight, 0);
  const total = servers.reduce((all, { weight }) => all + weight, 0);
  const text = `weight ${sum} of ${total} answers, ${threshold} is needed`;
  if (sum < threshold)
    findings.push(
      failed(
        check,
        `${text}: no memory can be opened`,
        'ask the operators of the key servers above',
        'unreachable',
      ),
    );
  else if (sum === threshold && sum < total)
    findings.push(
      warning(check, `${text}: one more failure stops recalls`, 'ask the operators of the key servers above'),
    );
  else findings.push(ok(check, text));
  return findings;
}

function serverFinding(
  check: string,
  url: string,
  answer: Answer,
  isRight: (status: number) => boolean,
  variable: string,
): Finding {
  const host = new URL(url).host;
  if (answer.status !== undefined && isRight(answer.status))
    return ok(check, `${host} answers in ${Math.round(answer.tookMs)} ms`);
  return failed(
    check,
    answer.status === undefined
      ? `${host} cannot be reached (${answer.problem})`
      : `${host} answers with status ${answer.status}`,
    `check ${variable} and the connection to it`,
    'unreachable',
  );
}

async function get(base: string, path: string): Promise<Answer> {
  const started = performance.now();
  try {
    const url = new URL(path, base.endsWith('/') ? base : `${base}/`);
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' });
    const tookMs = performance.now() - started;
    const date = Date.parse(response.headers.get('date') ?? '');
    await response.body?.cancel();
    return {
      status: response.status,
      tookMs,
      ...(Number.isNaN(date) ? {} : { aheadMs: date + 500 - Date.now() }),
    };
  } catch (error) {
    const { cause } = error as Error;
    return { problem: codeOf(cause ?? error), tookMs: performance.now() - started };
  }
}
