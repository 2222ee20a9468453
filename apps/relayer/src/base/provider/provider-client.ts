import { type Dispatcher, Pool } from 'undici';

export interface ProviderOptions {
  /** With its version, e.g. `https://api.openai.com/v1` */
  baseUrl: string;
  /** Undefined: no `authorization` header, as servers on the own machine expect */
  apiKey: string | undefined;
}

/** Tokens of one call, as the provider reports them; it may report none. */
export interface ReportedTokens {
  prompt_tokens?: number | undefined;
  completion_tokens?: number | undefined;
}

export interface ProviderCall {
  /** Until the last byte of the response */
  timeoutMs: number;
  /** A longer response is rejected as `malformed` */
  maxBytes: number;
  /** Ends the call; it rejects with `signal.reason` */
  signal?: AbortSignal | undefined;
}

/**
 * `unreachable`: no connection, or it broke. `timeout`: too slow. `status`: any status but 200. `malformed`: a response
 * in another format, or too long.
 */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly kind: 'unreachable' | 'timeout' | 'status' | 'malformed';
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  constructor(
    kind: ProviderError['kind'],
    message: string,
    options: { status?: number; retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Calls an OpenAI-compatible provider. Does not retry, and does not log requests. */
export interface ProviderClient {
  /** The JSON of the answer. Throws `ProviderError`. */
  post(path: string, body: unknown, call: ProviderCall): Promise<unknown>;
  /** The data of each event of a streamed response. Throws `ProviderError`. */
  stream(path: string, body: unknown, call: ProviderCall): AsyncGenerator<string, void, undefined>;
  close(): Promise<void>;
}

export function createProviderClient({ baseUrl, apiKey }: ProviderOptions): ProviderClient {
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  const pool = new Pool(base.origin, { connections: 32, pipelining: 1 });

  async function request(
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData['body']> {
    const target = new URL(path, base);
    const response = await pool.request({
      method: 'POST',
      path: target.pathname + target.search,
      headers: {
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      signal,
    });
    if (response.statusCode === 200) return response.body;
    await response.body.dump();
    throw new ProviderError('status', `the provider answered ${response.statusCode}`, {
      status: response.statusCode,
      retryAfterSeconds: retryAfter(response.headers['retry-after']),
    });
  }

  /** The bytes of the response as they arrive. */
  async function* bytes(path: string, body: unknown, call: ProviderCall): AsyncGenerator<Buffer> {
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(call.timeoutMs)));
    let received = 0;
    try {
      const answer = await request(
        path,
        body,
        call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
      );
      for await (const part of answer as AsyncIterable<Buffer>) {
        received += part.length;
        if (received > call.maxBytes)
          throw new ProviderError('malformed', `the provider sent more than ${call.maxBytes} bytes`);
        yield part;
      }
    } catch (cause) {
      if (cause instanceof ProviderError) throw cause;
      call.signal?.throwIfAborted();
      if (timeout.aborted) throw new ProviderError('timeout', 'the provider is too slow', { cause });
      throw new ProviderError('unreachable', 'the provider cannot be reached', { cause });
    }
  }

  return {
    async post(path, body, call) {
      const parts: Buffer[] = [];
      for await (const part of bytes(path, body, call)) parts.push(part);
      try {
        return JSON.parse(Buffer.concat(parts).toString('utf8'));
      } catch {
        throw new ProviderError('malformed', 'the provider sent an answer that is not JSON');
      }
    },
    async *stream(path, body, call) {
      const decoder = new TextDecoder();
      let rest = '';
      for await (const part of bytes(path, body, call)) {
        const lines = (rest + decoder.decode(part, { stream: true })).split(/\r?\n/);
        rest = lines.pop()!;
        for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
      }
    },
    close: () => pool.close(),
  };
}

function retryAfter(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
