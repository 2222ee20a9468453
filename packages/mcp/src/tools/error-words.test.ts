import { errorCatalogue } from '@memrelay/protocol/errors';
import { MemRelayError, NetworkError } from '@memrelay/sdk/errors';
import { describe, expect, test } from 'vitest';
import { errorWords } from './error-words.ts';

const reading = { writes: false, signIn: undefined };
const writing = { ...reading, writes: true };

function failure(code: keyof typeof errorCatalogue, retryAfterMs?: number): MemRelayError {
  const { status, message, retry } = errorCatalogue[code];
  return new MemRelayError(code, `${message} [${code}, request r-1]`, {
    status,
    retryable: retry,
    retryAfterMs,
  });
}

describe('error explanations for an agent', () => {
  test.each(Object.keys(errorCatalogue) as (keyof typeof errorCatalogue)[])(
    '%s has its message and, if there is one, a next step',
    (code) => {
      const { text } = errorWords(failure(code), reading);
      expect(text).toContain(errorCatalogue[code].message);
      expect(text).toContain('request r-1');
      if (errorCatalogue[code].retry || errorCatalogue[code].status === 401) expect(text).toContain('Next: ');
      expect(text).not.toMatch(/delete|remove your|log ?out|mem_logout/i);
    },
  );

  test('a rejected key lists possible causes, and how to sign in if the host supports it', () => {
    const { text } = errorWords(failure('unknown_delegate_key'), reading);
    expect(text).toMatch(/revoked.*expired.*another relayer or network.*clock.*Keep the credentials/s);
    expect(errorWords(failure('delegate_expired'), { ...reading, signIn: 'Call mem_login.' }).text).toMatch(
      /Call mem_login\.$/,
    );
  });

  test.each(['rate_limited', 'overloaded'] as const)('%s says how long to wait', (code) => {
    expect(errorWords(failure(code, 12_300), reading).text).toContain('wait 13 seconds');
  });

  test('an unreachable relayer leaves a write in doubt, and the text says that a retry is safe', () => {
    const offline = new NetworkError('network_error', 'Cannot reach it.');
    expect(errorWords(offline, writing).text).toMatch(/cannot be reached.*does not store it twice/s);
    expect(errorWords(offline, reading).text).not.toContain('twice');
  });

  test('a server that is not a relayer, and an unusable file, are explained without naming a request', () => {
    const page = new MemRelayError('invalid_response', 'It answered 200 without JSON.', { status: 200 });
    expect(errorWords(page, reading).text).toContain('not a memory server');
    const dashboard = new MemRelayError('not_found', 'Not found.', { status: 404 });
    expect(errorWords(dashboard, reading).text).toMatch(/nothing about stored memories.*not a memory server/);
    const file = new MemRelayError('invalid_credentials', 'trusted.json cannot be used.');
    expect(errorWords(file, reading).text).toMatch(/Nothing was sent\.$/);
  });

  test('a missing permission is requested by signing in again, including the one to forget', () => {
    expect(errorWords(failure('insufficient_scope'), writing).text).toMatch(/sign in again.*ticked/);
  });

  test('lists the invalid fields, quoted', () => {
    const error = new MemRelayError('invalid_request', 'Not valid.', {
      status: 400,
      details: { issues: [{ path: 'ids.0', message: 'must be\nan id' }] },
    });
    expect(errorWords(error, writing).text).toContain('- "ids.0": "must be\\nan id"');
  });
});
