import { headers } from '@memrelay/protocol/headers';
import { MemRelayError } from './errors.ts';
import { isRetryable, retryAfterMs } from './retry.ts';

/** One HTTP answer, read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** What the SDK knows about a call when its answer is judged. */
export interface CallContext {
  requestId: string;
  origin: string;
  publicKey: string;
  accountId: string;
  signed: boolean;
}

/**
 * The error that an answer stands for, or undefined when it is good. A signed call whose answer names another
 * account than ours is an error whatever its status.
 */
export function answerError(answer: Answer, call: CallContext): MemRelayError | undefined {
  const requestId = answer.headers.get(headers.requestId) ?? call.requestId;
  const account = answer.headers.get(headers.accountId);
  if (call.signed && account !== null && account.toLowerCase() !== call.accountId.toLowerCase())
    return new MemRelayError(
      'account_mismatch',
      `${call.origin} answered for account ${shown(account)}, but this client is for ${call.accountId}; the answer was dropped. Check accountId and serverUrl.`,
      { status: answer.status, requestId },
    );
  if (answer.status >= 200 && answer.status < 300) return undefined;

  const body = parseErrorBody(answer.text);
  const code = body?.error ?? 'invalid_response';
  const message = body
    ? `${shown(body.message)}${hint(code, call)}`
    : `${call.origin} answered ${answer.status} without the error body of a relayer; check that serverUrl names a relayer and what stands between.`;
  return new MemRelayError(code, `${message} [${code}, request ${shown(requestId)}]`, {
    status: answer.status,
    requestId,
    retryable: isRetryable(answer.status, code),
    retryAfterMs: retryAfterMs(answer.headers.get('retry-after')),
    details: body?.details,
  });
}

/** Returns the JSON object of a good answer. Throws `invalid_response` when there is none. */
export function answerObject(answer: Answer, call: CallContext): object {
  const body = parseObject(answer.text);
  if (body !== undefined) return body;
  throw new MemRelayError(
    'invalid_response',
    `${call.origin} answered ${answer.status} without a JSON object; check that serverUrl names a relayer.`,
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

/** What this side knows and the server's words leave out. */
function hint(code: string, call: CallContext): string {
  if (code === 'unknown_delegate_key')
    return ` Key ${call.publicKey}, account ${call.accountId}: was the key removed, or is ${call.origin} the relayer of another network? Sign in again to register a key.`;
  return '';
}

/** Words of the other side, fit to stand in a message: one line, bounded. */
function shown(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, 500);
}
