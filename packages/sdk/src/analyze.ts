import type { AnalyzeAccepted, AnalyzePreview } from '@memrelay/protocol/llm';
import { contextBody } from './context-body.ts';
import { checkIdempotencyKey } from './options.ts';
import { type CamelKeys, camelKeys } from './wire/camel-keys.ts';
import { type Connection, callRelayer } from './wire/request.ts';
import type { RetryPolicy } from './wire/retry.ts';
import type { ContextOptions, WriteOptions } from './wire/types.ts';
import { uuidV4 } from './wire/uuid.ts';

export interface AnalyzeOptions extends WriteOptions, ContextOptions {
  namespace?: string | undefined;
  /**
   * When the text was said, so that "yesterday" becomes a date. An RFC 3339 string keeps the calendar of its offset; a `Date`
   * uses UTC.
   */
  occurredAt?: string | Date | undefined;
}

export type Analyzed = CamelKeys<AnalyzeAccepted>;
/** What `analyze` would store */
export type FactsPreview = CamelKeys<AnalyzePreview>;

/** A model reads a long text for a minute or more. */
export const modelPolicy = ({ policy }: Connection): Partial<RetryPolicy> => ({
  timeoutMs: Math.max(policy.timeoutMs, 120_000),
  deadlineMs: Math.max(policy.deadlineMs, 240_000),
});

/** Calls `POST /api/analyze`; `sessionPackageId` is the package of the session for reading known memories. */
async function send<T>(
  connection: Connection,
  sessionPackageId: string,
  text: string,
  { namespace, occurredAt, idempotencyKey = uuidV4(), signal, ...context }: AnalyzeOptions,
  isDryRun?: true,
): Promise<CamelKeys<T>> {
  const time = occurredAt instanceof Date ? occurredAt.toISOString() : occurredAt;
  const { value } = await callRelayer<T>(connection, {
    method: 'POST',
    path: '/api/analyze',
    body: { text, namespace, occurred_at: time, dry_run: isDryRun, ...contextBody(context) },
    idempotencyKey: checkIdempotencyKey(idempotencyKey),
    sessionPackageId,
    signal,
    policy: modelPolicy(connection),
  });
  return camelKeys(value);
}

type AnalyzeCall = [connection: Connection, sessionPackageId: string, text: string, options: AnalyzeOptions];

/** Stores the facts of a text. */
export const analyze = (...call: AnalyzeCall): Promise<Analyzed> => send<AnalyzeAccepted>(...call);

/** The facts of a text. Stores nothing. */
export const previewFacts = (...call: AnalyzeCall): Promise<FactsPreview> =>
  send<AnalyzePreview>(...call, true);
