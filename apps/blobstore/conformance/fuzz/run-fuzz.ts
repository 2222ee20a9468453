import { type Answer, exchange } from '../exchange.ts';
import { envelopeOf, Mismatch } from '../expectations.ts';
import { formOf } from '../form.ts';
import { daemon, publisherAuth } from '../refused.ts';
import type { QuiltResponse, StoreResponse } from '../session.ts';
import {
  adminCase,
  type Case,
  concatCase,
  quiltCase,
  readCase,
  type Secrets,
  storeCase,
  tokenCase,
} from './cases.ts';
import { createRandom, type Random } from './random.ts';
import { exchangeRaw, rawRequest } from './raw-request.ts';
import type { Known } from './values.ts';

export interface FuzzOptions extends Secrets {
  url: string;
  seed: number;
  cases: number;
}

export interface FuzzReport {
  /** Number of responses by status */
  statuses: Map<number, number>;
  /** Each includes its case, so that it can be repeated by hand */
  failures: string[];
}

/** Longer than any request takes, even on a busy machine. */
const patienceMs = 30_000;

function soon<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no response within ${patienceMs} ms`)), patienceMs);
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function send(url: string, { path, method = 'GET', headers = {}, body }: Case): Promise<Answer> {
  const sent = {
    method,
    url: `${url}${path}`,
    headers,
    body: body === undefined ? undefined : Buffer.from(body),
  };
  return soon(exchange(sent));
}

/** Throws if the response must not occur for any request. */
function judge({ method }: Case, answer: Answer): void {
  if (answer.cutOff) throw new Mismatch('the response was cut off');
  if (answer.status >= 500 && !isExpiredToken(answer)) throw new Mismatch(`status ${answer.status}`);
  if (answer.status < 400 || method === 'HEAD') return;
  const domain = answer.body.includes(publisherAuth) ? publisherAuth : daemon;
  envelopeOf(answer, domain);
}

/** The only status above 500 that is the client's fault. */
function isExpiredToken({ status, body }: Answer): boolean {
  return status === 504 && body.includes('EXPIRED_SIGNATURE');
}

async function knownOf({ url }: FuzzOptions): Promise<Known> {
  const form = formOf([
    { name: 'a', content: 'first' },
    { name: 'b', content: 'second' },
  ]);
  const headers = { 'content-type': form.contentType };
  const blob = await send(url, { method: 'PUT', path: '/v1/blobs', body: Buffer.alloc(1000, 1) });
  const quilt = await send(url, { method: 'PUT', path: '/v1/quilts', headers, body: form.body });
  // A store that requires tokens rejected the two stores, so it has no blobs yet.
  if (blob.status !== 200 || quilt.status !== 200)
    return { blobIds: ['A'.repeat(43)], objectIds: ['0x2'], patchIds: [] };
  const object = (JSON.parse(blob.body.toString()) as StoreResponse).newlyCreated!.blobObject;
  const { blobStoreResult, storedQuiltBlobs } = JSON.parse(quilt.body.toString()) as QuiltResponse;
  return {
    blobIds: [object.blobId, blobStoreResult.newlyCreated!.blobObject.blobId],
    objectIds: [object.id],
    patchIds: storedQuiltBlobs.map(({ quiltPatchId }) => quiltPatchId),
  };
}

async function nextCase(random: Random, known: Known, options: FuzzOptions): Promise<Case> {
  const kinds = [
    () => readCase(random, known),
    () => readCase(random, known),
    () => storeCase(random),
    () => quiltCase(random),
    () => concatCase(random, known),
    () => tokenCase(random, options),
    ...(options.adminToken === undefined ? [] : [() => adminCase(random, known, options)]),
  ];
  return random.pick(kinds)();
}

/** Throws unless the server closes the connection without a response, or responds with a status below 500. */
async function tryRaw(url: string, bytes: Buffer): Promise<void> {
  const answer = await soon(exchangeRaw(url, bytes));
  if (answer !== '' && !/^HTTP\/1\.1 [1234]/.test(answer)) throw new Mismatch(answer.slice(0, 100));
}

/**
 * Sends the cases one after another. The same seed sends the same cases to the same store. Throws if the store is
 * unreachable.
 */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const random = createRandom(options.seed);
  const known = await knownOf(options);
  const report: FuzzReport = { statuses: new Map(), failures: [] };
  for (let index = 0; index < options.cases; index += 1) {
    if (random.oneIn(8)) {
      const bytes = rawRequest(random);
      await tryRaw(options.url, bytes).catch((error: unknown) => {
        report.failures.push(
          `case ${index}: ${(error as Error).message}\n  ${JSON.stringify(bytes.toString('latin1'))}`,
        );
      });
      continue;
    }
    const one = await nextCase(random, known, options);
    try {
      const answer = await send(options.url, one);
      report.statuses.set(answer.status, (report.statuses.get(answer.status) ?? 0) + 1);
      judge(one, answer);
    } catch (error) {
      const { method, path, headers, body } = one;
      const shown = JSON.stringify({
        method,
        path,
        headers,
        body: body && Buffer.from(body).toString('latin1'),
      });
      report.failures.push(`case ${index}: ${(error as Error).message}\n  ${shown}`);
    }
  }
  return report;
}
