import type { Log } from './stderr-log.ts';

/** `fetch` that logs each request and response at debug level, without headers, bodies and queries. */
export function loggedFetch(log: Log): typeof fetch {
  return async (input, init) => {
    const started = performance.now();
    const url = new URL(input instanceof Request ? input.url : input);
    const request = { method: init?.method ?? 'GET', url: `${url.origin}${url.pathname}` };
    const ms = (): number => Math.round(performance.now() - started);
    try {
      const response = await fetch(input, init);
      const requestId = response.headers.get('x-request-id') ?? undefined;
      log.debug('request', { ...request, status: response.status, ms: ms(), requestId });
      return response;
    } catch (error) {
      const { cause } = error as { cause?: { code?: unknown } };
      log.debug('request failed', {
        ...request,
        ms: ms(),
        code: String(cause?.code ?? (error as Error).name),
      });
      throw error;
    }
  };
}
