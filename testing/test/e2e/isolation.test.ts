import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { permissions } from '@memrelay/chain/account-bcs';
import { toolPaths } from '@memrelay/protocol/tool-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawRequest } from '../../src/raw-request.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { newTestKey, type TestKey } from '../../src/test-owner.ts';

/** Tests what a delegate can see of an account's other namespaces, and the shape of every rejection. */

let world: RelayerWorld;

beforeAll(async () => {
  world = await RelayerWorld.create();
});
afterAll(() => world?.close());

const call = (path: string, body?: object, key = world.owner.delegate) =>
  rawRequest(world.relayer.url, key, {
    method: body ? 'POST' : 'GET',
    path,
    accountId: world.owner.accountId,
    ...(body ? { body } : {}),
  });

describe('a job', () => {
  async function key(perms: number, namespace: string): Promise<TestKey> {
    const made = newTestKey();
    await world.owner.addDelegate(made, { perms, namespaces: [namespace] });
    return made;
  }

  test('is found by the key that created it, and by keys with READ or WRITE in its namespace', async () => {
    const { jobId } = await world.owner
      .client(world.relayer.url)
      .rememberAndWait('a private note', { namespace: 'own' });
    const stranger = await key(permissions.all, 'other');
    const forgetter = await key(permissions.forget, 'own');
    const [reader, writer] = [await key(permissions.read, 'own'), await key(permissions.write, 'own')];
    const id = jobId.toUpperCase();
    for (const each of [stranger, forgetter]) {
      const missing = { status: 404, body: { error: 'job_not_found' } };
      expect(await call(`/api/remember/${jobId}`, undefined, each)).toMatchObject(missing);
      expect(await call(`/api/remember/${id}/retry`, {}, each)).toMatchObject(missing);
      const bulk = await call('/api/remember/bulk/status', { job_ids: [jobId, id] }, each);
      expect(bulk.body.results).toEqual([
        { job_id: jobId, status: 'not_found' },
        { job_id: id, status: 'not_found' },
      ]);
    }
    for (const each of [reader, writer, world.owner.delegate]) {
      expect((await call(`/api/remember/${jobId}`, undefined, each)).body.status).toBe('done');
      const bulk = await call('/api/remember/bulk/status', { job_ids: [jobId] }, each);
      expect(bulk.body.results).toMatchObject([{ job_id: jobId, status: 'done' }]);
    }
    const retry = (each: TestKey) => call(`/api/remember/${jobId}/retry`, {}, each);
    expect((await retry(reader)).body.error).toBe('insufficient_scope');
    expect((await retry(writer)).body.error).toBe('job_not_failed');
  });
});

describe('a namespace', () => {
  const invisible = [
    '\u202e',
    '\u2066',
    '\u200e',
    '\u061c',
    '\u200b',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u{e0041}',
  ];
  const writes = (namespace: string): [string, object][] => [
    ['/api/remember', { text: 'x', namespace }],
    ['/api/remember/bulk', { items: [{ text: 'x' }, { text: 'y', namespace }] }],
    ['/api/analyze', { text: 'x', namespace }],
    ['/api/remember/manual', { encrypted_data: 'AAAA', vector: new Array(1536).fill(1), namespace }],
  ];

  test('of a new write is rejected with bidirectional controls or zero-width characters, except ZWJ and ZWNJ', async () => {
    for (const character of invisible)
      for (const [path, body] of writes(`pay${character}roll`)) {
        const answer = await call(path, body);
        expect([path, answer.status, answer.body.error]).toEqual([path, 400, 'invalid_request']);
        expect(answer.body.message).toMatch(
          /namespace: must not contain bidirectional.*\(U\+[0-9A-F]{4,5}\)$/,
        );
      }
    for (const namespace of [
      '\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
      'family \u{1f469}\u200d\u{1f467}',
      'love \u2764\ufe0f',
    ])
      expect((await call('/api/remember', { text: 'x', namespace })).status).toBe(202);
  });

  test('that was written before remains readable', async () => {
    const namespace = 'pay\u202eroll';
    const routes: [string, object][] = [
      ['/api/memories', { namespace }],
      ['/api/restore', { namespace }],
      ['/api/forget', { namespace }],
      ['/api/recall', { query: 'x', namespace }],
    ];
    for (const [path, body] of routes)
      expect((await call(path, body)).body.error).not.toBe('invalid_request');
  });
});

describe('a rejection', () => {
  test('names the first issue in its message', async () => {
    const items = Array.from({ length: 21 }, () => ({ text: 'x' }));
    expect((await call('/api/remember/bulk', { items })).body.message).toBe('items: must have at most 20');
    expect((await call('/api/remember', {})).body.message).toBe('text: is required');
    expect((await call('/api/remember', { text: 1 })).body.message).toBe('text: must be a string');
    const error = await world.owner
      .client(world.relayer.url)
      .remember('x', { namespace: '' })
      .catch((cause: Error) => cause.message);
    expect(error).toMatch(/^namespace: must not be empty/);
  });

  const { relayerRoutes: routes } = JSON.parse(
    readFileSync(new URL('../../../docs/contract-snapshot.json', import.meta.url), 'utf8'),
  ) as { relayerRoutes: string[] };
  const isTool = (path: string) => (Object.values(toolPaths) as string[]).includes(path);

  test('on every route has a code and a request id', async () => {
    const paths = [...new Set(routes.map((route) => route.split(' ').at(-1)!))];
    expect(paths.length).toBeGreaterThan(20);
    for (const path of paths)
      for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS']) {
        const url = new URL(path.replaceAll(/:\w+/g, randomUUID()), world.relayer.url);
        const requestId = randomUUID();
        const answer = await fetch(url, {
          method,
          headers: { 'x-request-id': requestId },
          redirect: 'manual',
        });
        const text = await answer.text();
        const name = `${method} ${path} ${answer.status} ${text.slice(0, 200)}`;
        expect(answer.headers.get('x-request-id'), name).toBe(requestId);
        if (answer.status < 400 || method === 'OPTIONS' || text === '') continue;
        if (answer.headers.get('content-type')?.startsWith('text/html')) continue;
        const body = JSON.parse(text);
        if (isTool(path) && body.jsonrpc)
          expect(body.error.data, name).toMatchObject({ code: expect.any(String), request_id: requestId });
        else
          expect(body, name).toMatchObject({
            error: expect.any(String),
            message: expect.any(String),
            request_id: requestId,
          });
      }
  });

  test('by the tool server itself has a code and a request id', async () => {
    const headers = {
      authorization: `Bearer ${world.owner.delegate.privateKey}`,
      'x-mem-account-id': world.owner.accountId,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const bodies = ['{', '[]', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 'x'.repeat(100)];
    for (const body of bodies) {
      const answer = await fetch(new URL(toolPaths.mcp, world.relayer.url), {
        method: 'POST',
        headers,
        body,
      });
      const text = await answer.text();
      expect(answer.status, text).toBeGreaterThanOrEqual(400);
      expect(JSON.parse(text).error.data, text).toMatchObject({
        code: expect.any(String),
        request_id: answer.headers.get('x-request-id'),
      });
    }
  });
});
