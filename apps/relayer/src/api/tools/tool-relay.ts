import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { ApiError } from '@memrelay/protocol/errors';
import { headerAliases, headers } from '@memrelay/protocol/headers';
import { mcpRequestHeaders, relayedHeaders } from '@memrelay/protocol/tool-server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Pool } from 'undici';
import type { ToolBearer } from '../oauth/access-tokens.ts';
import { describedError } from './rpc-errors.ts';

/** Request headers passed to the sidecar; `mcp-param-…` are tool arguments sent as headers. */
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

/** Response headers passed to the client. */
const passedResponseHeaders: readonly string[] = [
  'allow',
  'cache-control',
  'content-type',
  'mcp-session-id',
  'retry-after',
  'www-authenticate',
  // Tells proxies not to buffer a stream
  'x-accel-buffering',
];

/** Timeout until the sidecar has checked the credential and begins its response. The body has no timeout. */
const headersTimeoutMs = 30_000;

/** Not an HTTP status: the client disconnected before the response */
export const clientGone = 499;

export interface RelayOptions {
  clientAddress: string;
  /** Replaces the credential that the client sent, which is not passed on */
  bearer: ToolBearer | undefined;
  /** Added to the challenge of a 401 (RFC 9728, 5.1) */
  metadataUrl: string | undefined;
}

/** Passes tool requests to the sidecar and streams its responses back. */
export interface ToolRelay {
  /** Resolves with the status once the response has begun. Throws `sidecar_unavailable`. */
  relay(request: FastifyRequest, reply: FastifyReply, options: RelayOptions): Promise<number>;
  /** Ends the open streams, which would keep the server from closing */
  endStreams(): void;
  close(): Promise<void>;
}

export function createToolRelay(sidecarUrl: string, token: string): ToolRelay {
  const { origin } = new URL(sidecarUrl);
  // Each stream occupies a connection, so this pool is unlimited and separate from the pool for other requests
  const pool = new Pool(origin, { headersTimeout: headersTimeoutMs, bodyTimeout: 0 });
  const streams = new Set<ServerResponse>();
  return {
    async relay(request, reply, { clientAddress, bearer, metadataUrl }) {
      const { raw } = request;
      const out = reply.raw;
      const gone = new AbortController();
      // `close` may have fired already: without this check, the sidecar would keep the stream of a client that left
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
      // If the sidecar disconnects, end an event stream normally (the client's next request reports the error), but
      // reset the connection for any other response, because it is incomplete
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

/** The sidecar's challenge, with the address of the resource metadata added. */
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

/** Renames aliased headers to their standard names, because the sidecar knows no aliases. */
function withoutAliases(sent: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [headerAliases[name] ?? name, value]),
  );
}

/** The headers to pass on. Leaves out repeated ones, because none of the passed headers may be repeated. */
function passed(
  sent: Readonly<Record<string, string | string[] | undefined>>,
  isPassed: (name: string) => boolean,
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(sent))
    if (typeof value === 'string' && isPassed(name)) result[name] = value;
  return result;
}
