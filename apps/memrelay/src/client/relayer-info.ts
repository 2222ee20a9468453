import type { HealthInfo, ReadyInfo } from '@memrelay/protocol/service-info';

const timeoutMs = 5_000;

export interface RelayerAnswer<T> {
  status: number;
  /** The relayer's clock, milliseconds since 1970, from its `Date` header (whole seconds) */
  serverTime: number | undefined;
  body: T;
}

/** No server responds at the URL, or it is not a relayer. The message is for a person. */
export class NoRelayerError extends Error {
  override name = 'NoRelayerError';
}

/** `GET /health`. Throws `NoRelayerError`. */
export async function readHealth(serverUrl: string): Promise<RelayerAnswer<HealthInfo>> {
  const answer = await readJson<HealthInfo>(serverUrl, '/health');
  if (answer.status !== 200 || typeof answer.body.apiVersion !== 'string')
    throw new NoRelayerError(
      `${serverUrl} answers, but not as a relayer does (status ${answer.status} at /health)`,
    );
  return answer;
}

/** `GET /ready`: 200 or 503, both with the state of every dependency. Throws `NoRelayerError`. */
export async function readReadiness(serverUrl: string): Promise<ReadyInfo> {
  const { status, body } = await readJson<ReadyInfo>(serverUrl, '/ready');
  if (typeof body.checks !== 'object' || body.checks === null)
    throw new NoRelayerError(`${serverUrl} does not report its readiness (status ${status} at /ready)`);
  return body;
}

async function readJson<T>(serverUrl: string, path: string): Promise<RelayerAnswer<T>> {
  let response: Response;
  try {
    response = await fetch(`${serverUrl.replace(/\/+$/, '')}${path}`, {
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    throw new NoRelayerError(`nothing answers at ${serverUrl} (${reasonOf(error)})`, { cause: error });
  }
  const date = Date.parse(response.headers.get('date') ?? '');
  const serverTime = Number.isNaN(date) ? undefined : date;
  try {
    return { status: response.status, serverTime, body: (await response.json()) as T };
  } catch (error) {
    throw new NoRelayerError(`${serverUrl} answers, but not as a relayer does (no JSON at ${path})`, {
      cause: error,
    });
  }
}

/** fetch puts the system's error code into `cause`. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { code, message } = (cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
}
