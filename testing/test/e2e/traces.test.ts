import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawRequest } from '../../src/raw-request.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';

/** Traces of requests, as a collector of OpenTelemetry receives them over HTTP. */

interface Span {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

interface Export {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Omit<Span, 'service'>[] }[];
  }[];
}

let collector: Server;
let world: RelayerWorld;
const spans: Span[] = [];

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const sent = JSON.parse(Buffer.concat(parts).toString('utf8')) as Export;
    for (const { resource, scopeSpans } of sent.resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')!.value.stringValue!;
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service }))));
    }
    response.setHeader('content-type', 'application/json').end(request.url === '/v1/traces' ? '{}' : 'no');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  world = await RelayerWorld.create({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      // At once, instead of every five seconds
      OTEL_BSP_SCHEDULE_DELAY: '50',
      // Recalls read the blob store
      BLOB_CACHE_TTL_SECS: '0',
    },
  });
});
afterAll(async () => {
  await world?.close();
  collector?.close();
});

/** `service name` of each span of a trace, once all of these have arrived */
async function traceWith(traceId: string, ...names: string[]): Promise<Span[]> {
  const trace = () => spans.filter((span) => span.traceId === traceId);
  await expect
    .poll(() => {
      const arrived = trace().map(({ service, name }) => `${service} ${name}`);
      return names.filter((name) => !arrived.includes(name));
    })
    .toEqual([]);
  return trace();
}

const newTrace = () => {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
};

function call(path: string, body: object, headers: Record<string, string>) {
  const { delegate, accountId } = world.owner;
  return rawRequest(world.relayer.url, delegate, { path, accountId, body, headers });
}

test('follow a memory from the request through queue and sidecar to chain and blob store', async () => {
  const { traceId, traceparent } = newTrace();
  const requestId = randomUUID();
  const answer = await call(
    '/api/remember',
    { text: 'a text that no trace contains', namespace: 'traced' },
    { traceparent, 'x-request-id': requestId },
  );
  expect(answer.status).toBe(202);
  await world.client().waitForJob(answer.body.job_id);
  const trace = await traceWith(
    traceId,
    'memrelay-relayer POST /api/remember',
    'memrelay-relayer commit',
    'memrelay-relayer job embedding',
    'memrelay-relayer job uploading',
    'memrelay-relayer sidecar store/upload',
    'memrelay-sidecar POST /store/upload',
    'memrelay-sidecar blob_store store',
  );
  // Every span but the first hangs on another one of the same trace
  const ids = new Set(trace.map(({ spanId }) => spanId));
  const roots = trace.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''));
  expect(roots.map(({ name }) => name)).toEqual(['POST /api/remember']);
  expect(JSON.stringify(trace)).toContain(requestId);
});

test('follow a recall to the blob store and the key servers', async () => {
  const { traceId, traceparent } = newTrace();
  const client = world.client({
    fetch: (input, init) =>
      fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), traceparent } }),
  });
  const { results } = await client.recall('what does no trace contain?', { namespace: 'traced' });
  expect(results[0]!.text).toBe('a text that no trace contains');
  await traceWith(
    traceId,
    'memrelay-relayer POST /api/recall',
    'memrelay-relayer blob_store read',
    'memrelay-relayer sidecar envelopes/open',
    'memrelay-sidecar POST /envelopes/open',
    'memrelay-sidecar seal unwrap_keys',
  );
});

test('contain no text, account or key, and nothing of background work', async () => {
  const { accountId, wallet, delegate } = world.owner;
  const text = JSON.stringify(spans);
  for (const secret of [
    'no trace contains',
    'traced',
    accountId.slice(2),
    wallet.address,
    delegate.publicKey,
  ])
    expect(text).not.toContain(secret);
  expect(spans.filter(({ name }) => name.includes('health'))).toEqual([]);
});
