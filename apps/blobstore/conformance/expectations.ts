import { isDeepStrictEqual } from 'node:util';
import type { Answer } from './exchange.ts';

/** A statement that did not hold. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

export function same(what: string, actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) {
    throw new Mismatch(`${what} is ${shown(actual)}, expected ${shown(expected)}`);
  }
}

export function holds(what: string, condition: boolean): void {
  if (!condition) throw new Mismatch(what);
}

export interface Expected {
  status: number;
  /** Null for a header that must be absent */
  headers?: Record<string, string | RegExp | null>;
  body?: Uint8Array | string;
}

/** Compares a response with the expected one. Ignores headers that `headers` does not list. */
export function expectAnswer(answer: Answer, { status, headers = {}, body }: Expected): void {
  if (answer.status !== status) {
    throw new Mismatch(`status ${answer.status}, expected ${status}: ${shown(answer.body.toString())}`);
  }
  for (const [name, expected] of Object.entries(headers)) {
    const actual = answer.headers[name];
    if (expected === null) same(name, actual, undefined);
    else if (expected instanceof RegExp) holds(`${name} is ${actual}`, expected.test(actual ?? ''));
    else same(name, actual, expected);
  }
  if (body === undefined) return;
  const expected = Buffer.from(body);
  if (!answer.body.equals(expected)) {
    throw new Mismatch(
      `the body has ${answer.body.length} bytes that differ from the expected ${expected.length}`,
    );
  }
}

/** The parsed JSON body of a response. Throws `Mismatch` if it is not JSON. */
export function jsonOf<T>(answer: Answer): T {
  try {
    return JSON.parse(answer.body.toString()) as T;
  } catch {
    throw new Mismatch(
      `status ${answer.status} with a body that is not JSON: ${shown(answer.body.toString())}`,
    );
  }
}

export interface Envelope {
  error: { status: string; code: number; message: string; details: Record<string, unknown>[] };
}

/** Canonical names in the envelope, by HTTP status. */
const statusNames: Record<number, readonly string[]> = {
  400: ['INVALID_ARGUMENT', 'FAILED_PRECONDITION'],
  401: ['UNAUTHENTICATED'],
  403: ['SIZE_EXCEEDED'],
  404: ['NOT_FOUND'],
  416: ['RANGE_NOT_SATISFIABLE'],
  429: ['RESOURCE_EXHAUSTED'],
  451: ['UNAVAILABLE_FOR_LEGAL_REASONS'],
  500: ['INTERNAL'],
  503: ['UNAVAILABLE'],
  504: ['DEADLINE_EXCEEDED'],
};

/** Checks that a response has the error envelope, with no other keys, and returns the error. */
export function envelopeOf(answer: Answer, domain: string): Envelope['error'] {
  const { status } = answer;
  expectAnswer(answer, { status, headers: { 'content-type': 'application/json' } });
  const body = jsonOf<Envelope>(answer);
  same('keys of the body', Object.keys(body), ['error']);
  same('keys of the error', Object.keys(body.error), ['status', 'code', 'message', 'details']);
  const { error } = body;
  same('code', error.code, status);
  holds(`status name ${error.status}`, (statusNames[status] ?? [error.status]).includes(error.status));
  const [info, debug] = error.details;
  same('keys of the details', Object.keys(info ?? {}), ['@type', 'reason', 'domain', 'metadata']);
  same('@type', info?.['@type'], 'ErrorInfo');
  same('domain', info?.domain, domain);
  same('metadata', info?.metadata, {});
  same('details', error.details.length, status === 500 ? 2 : 1);
  if (status === 500) same('second @type', debug?.['@type'], 'DebugInfo');
  return error;
}
