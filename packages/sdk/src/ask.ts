import type { AskResponse } from '@memrelay/protocol/llm';
import { modelPolicy } from './analyze.ts';
import { recallBody } from './recall-body.ts';
import { type CamelKeys, camelKeys } from './wire/camel-keys.ts';
import { MemRelayError, NetworkError } from './wire/errors.ts';
import { type ApiCall, type Connection, callRelayer, openStream } from './wire/request.ts';
import { isRetryable } from './wire/retry.ts';
import { serverEvents } from './wire/server-events.ts';
import type { RecallOptions } from './wire/types.ts';

/** `limit` defaults to 5 */
export type AskOptions = RecallOptions;
export type AskResult = CamelKeys<AskResponse>;

/** A part of the answer, or the complete answer at the end. */
export type AskEvent = { type: 'delta'; text: string } | ({ type: 'done' } & AskResult);

function callOf(
  connection: Connection,
  sessionPackageId: string,
  question: string,
  options: AskOptions,
): ApiCall {
  const { query: _, ...body } = recallBody('', options);
  return {
    method: 'POST',
    path: '/api/ask',
    body: { question, ...body },
    sessionPackageId,
    signal: options.signal,
    policy: modelPolicy(connection),
  };
}

/** Answers a question from memories. */
export async function ask(...request: Parameters<typeof callOf>): Promise<AskResult> {
  return camelKeys((await callRelayer<AskResponse>(request[0], callOf(...request))).value);
}

/** Streams the answer. Leaving the loop also stops it on the server. */
export async function* askStream(
  ...request: Parameters<typeof callOf>
): AsyncGenerator<AskEvent, void, undefined> {
  const call = callOf(...request);
  const { body, requestId } = await openStream(request[0], call);
  for await (const { event, data } of serverEvents(body, call.signal)) {
    const value = JSON.parse(data);
    if (event === 'delta') yield { type: 'delta', text: value.text };
    if (event === 'error')
      throw new MemRelayError(value.error, `${value.message} [${value.error}, request ${requestId}]`, {
        requestId,
        retryable: isRetryable(0, value.error),
      });
    if (event === 'done') {
      yield { type: 'done', ...camelKeys(value as AskResponse) };
      return;
    }
  }
  throw new NetworkError('network_error', 'The answer was interrupted.', { requestId });
}
