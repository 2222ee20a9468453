import { afterEach, expect } from 'vitest';
import { changedHeader } from '../../src/recording-proxy.ts';
import { readDescribedApi } from './described-api.ts';

/**
 * In end-to-end tests, compares every response that `fetch` gets from a relayer with the OpenAPI document, and fails the test
 * in which one differs.
 */
const checkedBytes = 65_536;
const checked = /^\/(api|sponsor|v1\/owners)(\/|$)/;

if (expect.getState().testPath?.includes('/testing/test/e2e/')) {
  const api = readDescribedApi();
  const problems: string[] = [];
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { pathname } = new URL(response.url || String(input instanceof Request ? input.url : input));
    const [contentType = ''] = (response.headers.get('content-type') ?? '').split(';');
    if (!checked.test(pathname) || !api.describes(pathname) || contentType === 'text/event-stream')
      return response;
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    // A longer one may be left unread by a test, to see what a relayer does then
    const length = Number(response.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
    if (method === 'OPTIONS' || response.headers.has(changedHeader) || length > checkedBytes) return response;
    response
      .clone()
      .text()
      .then((body) => {
        const problem = api.problemOf({ method, pathname }, { status: response.status, contentType, body });
        if (problem) problems.push(`${method} ${pathname} ${response.status}: ${problem}`);
      })
      // The test aborted the request, or the relayer was stopped
      .catch(() => undefined);
    return response;
  };
  afterEach(() => {
    expect(problems.splice(0), 'responses that differ from the OpenAPI document').toEqual([]);
  });
}
