import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { ApiError } from '@memrelay/protocol/errors';
import { headerAliases, headers } from '@memrelay/protocol/headers';
import { mcpRequestHeaders, relayedHeaders } from '@memrelay/protocol/tool-server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Pool } from 'undici';
import type { ToolBearer } from '../oauth/access-tokens.ts';
import { describedError } from './rpc-errors.ts';

/** What of a client's request reaches the sidecar; `mcp-param-…` are arguments that a tool wants as headers. */
const passedRequestHeaders: readonly string[] = [
  'accept',
  'authorization',
  'content-length',
  'content-type',
  headers.memAccountId,
  headers.memNamespace,
  ...mcpRequestHeaders,
];
const passedPrefix = 'mcp-param-';

/** What of the sidecar's answer reaches the client. */
const passedResponseHeaders: readonly string[] = [
  'allow',
  'cache-control',
  'content-type',
  'mcp-session-id',
  'retry-after',
  'www-authenticate',
  // Tells proxies in front not to hold a stream back
  'x-accel-buffering',
];

/** The sidecar checks a credential and begins to answer; how long an answer then takes is its own affair. */
const headersTimeoutMs = 30_000;

/** No status of HTTP: the client did not wait for one */
export const clientGone = 499;

export interface RelayOptions {
  clientAddress: string;
  /** Takes the place of the credential that the client sent, which goes no further */
  bearer: ToolBearer | undefined;
  /** Where the challenge of a 401 sends the client (RFC 9728, 5.1) */
  metadataUrl: string | undefined;
}

/** Passes tool requests to the sidecar and its answers back, as they come. */
export interface ToolRelay {
  /** Resolves with the status of an answer that has begun. Throws `sidecar_unavailable`. */
  relay(request: FastifyRequest, reply: FastifyReply, options: RelayOptions): Promise<number>;
  /** Ends the streams that are open, which would keep a server from closing */
  endStreams(): void;
  close(): Promise<void>;
}

export function createToolRelay(sidecarUrl: string, token: string): ToolRelay {
  const { origin } = new URL(sidecarUrl);
  // A stream keeps its connection to itself, so there are as many as are needed, apart from those for other work
  const pool = new Pool(origin, { headersTimeout: headersTimeoutMs, bodyTimeout: 0 });
  const streams = new Set<ServerResponse>();
  return {
    async relay(request, reply, { clientAddress, bearer, metadataUrl }) {
      const { raw } = request;
      const out = reply.raw;
      const gone = new AbortController();
      // The event fires only once: without this check, a client that already left would keep a stream open at the sidecar
      if (out.closed) gone.abort();
      else out.once('close', () => gone.abort());
      const answer = await pool
        .request({
          path: raw.url!,
          method: raw.method as 'GET' | 'POST' | 'DELETE',
          headers: {
            ...passed(
              withoutAliases(raw.headers),
              (name) => passedRequestHeaders.includes(name) || name.startsWith(passedPrefix),
            ),
            ...(bearer && {
              authorization: `Bearer ${bearer.delegateKey}`,
              [headers.memAccountId]: bearer.accountId,
            }),
            [relayedHeaders.token]: token,
            [relayedHeaders.clientAddress]: clientAddress,
          },
          body: raw.method === 'POST' ? raw : null,
          signal: gone.signal,
        })
        .catch((cause: unknown) => {
          if (gone.signal.aborted) return undefined;
          throw new ApiError('sidecar_unavailable', { cause });
        });
      reply.hijack();
      if (!answer || gone.signal.aborted) return clientGone;
      const { statusCode, body } = answer;
      const answerHeaders = {
        ...(reply.getHeaders() as Record<string, string>),
        ...passed(answer.headers, (name) => passedResponseHeaders.includes(name)),
        ...challengeOf(answer.headers['www-authenticate'], metadataUrl),
      };
      if (statusCode >= 400) {
        const text = describedError(await body.text().catch(() => ''), statusCode, request.id);
        const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
        out.writeHead(statusCode, { ...answerHeaders, ...length });
        out.end(text);
        return statusCode;
      }
      out.writeHead(statusCode, answerHeaders);
      out.flushHeaders();
      const isOpenEnded = isStream(answer.headers['content-type']);
      if (isOpenEnded) streams.add(out);
      out.once('close', () => streams.delete(out));
      // A stream that the sidecar breaks off ends; the client finds out with its next request. Any other answer is not whole
      body.once('error', () => (isOpenEnded ? out.end() : out.destroy()));
      body.pipe(out);
      return statusCode;
    },
    endStreams() {
      for (const stream of streams) stream.end();
    },
    close: () => pool.destroy(),
  };
}

/** The sidecar's own challenge, with where to read on. */
function challengeOf(
  challenge: string | string[] | undefined,
  metadataUrl: string | undefined,
): Record<string, string> {
  if (typeof challenge !== 'string' || metadataUrl === undefined) return {};
  return { 'www-authenticate': `${challenge}, resource_metadata="${metadataUrl}"` };
}

function isStream(contentType: string | string[] | undefined): boolean {
  return String(contentType).startsWith('text/event-stream');
}

/** The same headers under our own names: the sidecar knows no aliases. */
function withoutAliases(sent: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [headerAliases[name] ?? name, value]),
  );
}

/** Repeated headers are left out: none of those that pass may be. */
function passed(
  sent: Readonly<Record<string, string | string[] | undefined>>,
  isPassed: (name: string) => boolean,
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(sent))
    if (typeof value === 'string' && isPassed(name)) result[name] = value;
  return result;
}
