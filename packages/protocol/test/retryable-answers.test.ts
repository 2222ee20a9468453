import { expect, it } from 'vitest';
import { errorCatalogue } from '../src/errors.ts';
import { mayRetry } from '../src/retryable-answers.ts';

it('a client that has only the status and the code retries what the catalogue marks as retryable', () => {
  for (const [code, { status, retry }] of Object.entries(errorCatalogue))
    expect({ code, retry: mayRetry(status, code) }).toEqual({ code, retry });
  expect(mayRetry(503, 'from_a_proxy')).toBe(true);
  expect(mayRetry(500, 'from_a_proxy')).toBe(false);
});
