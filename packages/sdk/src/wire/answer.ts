import { headers } from '@memrelay/protocol/headers';
import { MemRelayError } from './errors.ts';
import { isRetryable, retryAfterMs } from './retry.ts';

/** One complete HTTP response. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Context of a call for interpreting its response. */
export interface CallContext {
  requestId: string;
  origin: string;
  publicKey: string;
  accountId: string;
  signed: boolean;
}

/**
 * The error in a response, or undefined if it is successful. For a signed call, a response for a different account than ours
 * is an error regardless of its status.
 */
export function answerError(answer: Answer, call: CallContext): MemRelayError | undefined {
  const requestId = answer.headers.get(headers.requestId) ?? call.requestId;
  const account = answer.headers.get(headers.accountId);
  if (call.signed && account !== null && account.toLowerCase() !== call.accountId.toLowerCase())
    return new MemRelayError(
      'account_mismatch',
      `${call.origin} responded for account ${shown(account)}, but this client is for ${call.accountId}; the response was discarded. Check accountId and serverUrl.`,
      { status: answer.status, requestId },
    );
  if (answer.status >= 200 && answer.status < 300) return undefined;

  const body = parseErrorBody(answer.text);
  const code = body?.error ?? 'invalid_response';
  const message = body
    ? `${shown(body.message)}${hint(code, call)}`
    : `${call.origin} returned status ${answer.status} without a relayer's error body. Check that serverUrl points to a relayer, and any proxy in between.`;
  return new MemRelayError(code, `${message} [${code}, request ${shown(requestId)}]`, {
    status: answer.status,
    requestId,
    retryable: isRetryable(answer.status, code),
    retryAfterMs: retryAfterMs(answer.headers.get('retry-after')),
    details: body?.details,
  });
}

/** Returns the JSON object of a successful response. Throws `invalid_response` if there is none. */
export function answerObject(answer: Answer, call: CallContext): object {
  const body = parseObject(answer.text);
  if (body !== undefined) return body;
  throw new MemRelayError(
    'invalid_response',
    `${call.origin} returned status ${answer.status} without a JSON object. Check that serverUrl points to a relayer.`,
    { status: answer.status, requestId: call.requestId },
  );
}

interface ErrorFields {
  error: string;
  message: string;
  details: Record<string, unknown> | undefined;
}

function parseErrorBody(text: string): ErrorFields | undefined {
  const { error, message, details } = (parseObject(text) ?? {}) as Partial<ErrorFields>;
  if (typeof error !== 'string' || !/^[a-z0-9_]{1,64}$/.test(error) || typeof message !== 'string')
    return undefined;
  return { error, message, details };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Information that only the client has and the server's message lacks. */
function hint(code: string, call: CallContext): string {
  if (code === 'unknown_delegate_key')
    return ` Key ${call.publicKey}, account ${call.accountId}: was the key revoked, or is ${call.origin} the relayer of another network? Sign in again to register a key.`;
  return '';
}

/** Text from the server, made safe for a message: one line, limited length. */
function shown(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, 500);
}
