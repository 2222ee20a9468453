import { randomBytes, randomUUID } from 'node:crypto';
import { createTestBackend, type TestBackend } from '@memrelay/dev-env/test-backend';
import { headers } from '@memrelay/protocol/headers';
import { limits } from '@memrelay/protocol/limits';
import { oauthPaths } from '@memrelay/protocol/oauth';
import { toolBodyBytes, toolPaths } from '@memrelay/protocol/tool-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Permission } from '../../src/accounts/caller.ts';
import { permissionBits } from '../../src/accounts/require-permission.ts';
import { createApp } from '../../src/api/http/app.ts';
import type { RouteDeclaration } from '../../src/api/http/route.ts';
import { createLoggers } from '../../src/base/logging/loggers.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type Relayer, startRelayer } from '../../src/relayer.ts';
import { createCloseStack } from '../../src/start/close-stack.ts';
import { serve } from '../../src/start/serve.ts';
import {
  startTestNetwork,
  type TestAccount,
  type TestKey,
  type TestNetwork,
  testKey,
} from '../support/localnet-process.ts';
import { loopbackHosts } from '../support/loopback-hosts.ts';
import { relayerEnvironment } from '../support/relayer-process.ts';
import { call } from '../support/signed-request.ts';

/** What each route declares, compared with what a real relayer lets keys of each scope do. */

interface Registered {
  name: string;
  bodyLimit: number | undefined;
  declaration: RouteDeclaration | undefined;
}

const vector = Array.from({ length: 1536 }, () => 1);
const id = randomUUID();
const hex32 = randomBytes(32).toString('hex');

/** Scope, weight and a valid body of every signed route. `:owner`, `:job_id` and `:id` are replaced. */
const signed: Record<string, { scope: Permission[]; cost: number; body?: object }> = {
  'GET /api/account': { scope: [], cost: 1 },
  'POST /api/remember': { scope: ['write'], cost: 5, body: { text: 'a text' } },
  'POST /api/remember/bulk': { scope: ['write'], cost: 10, body: { items: [{ text: 'a text' }] } },
  // The wrong dimension is refused after the scope: a stored one would wait for its upload
  'POST /api/remember/manual': { scope: ['write'], cost: 3, body: { vector: [1], encrypted_data: 'AAAA' } },
  'GET /api/remember/:job_id': { scope: [], cost: 0 },
  'POST /api/remember/bulk/status': { scope: [], cost: 0, body: { job_ids: [id] } },
  'POST /api/remember/:job_id/retry': { scope: ['write'], cost: 1 },
  'POST /api/analyze': { scope: ['write'], cost: 5, body: { text: 'a text' } },
  'POST /api/recall': { scope: ['read'], cost: 1, body: { query: 'a text' } },
  'POST /api/recall/manual': { scope: ['read'], cost: 1, body: { vector } },
  'POST /api/ask': { scope: ['read'], cost: 2, body: { question: 'a text?' } },
  'GET /api/memories/:id': { scope: ['read'], cost: 1 },
  'POST /api/memories/:id/replace': { scope: ['write'], cost: 5, body: { text: 'another text' } },
  'POST /api/profile': { scope: ['read'], cost: 1, body: {} },
  'POST /api/memories': { scope: ['read'], cost: 1, body: {} },
  'POST /api/namespaces': { scope: ['read'], cost: 1 },
  'GET /api/audit': { scope: ['read'], cost: 1 },
  'POST /api/audit': { scope: ['read'], cost: 1 },
  'GET /api/webhooks': { scope: ['read'], cost: 1 },
  'POST /api/webhooks': { scope: ['read'], cost: 5, body: { url: 'https://example.com' } },
  'DELETE /api/webhooks/:id': { scope: ['read'], cost: 5 },
  'POST /api/webhooks/:id/test': { scope: ['read'], cost: 10 },
  'GET /api/webhooks/:id/deliveries': { scope: ['read'], cost: 1 },
  'GET /api/namespaces': { scope: ['read'], cost: 1 },
  'GET /v1/owners/:owner/namespaces': { scope: ['read'], cost: 1 },
  'POST /api/stats': { scope: ['read'], cost: 1 },
  'POST /api/restore': { scope: ['read'], cost: 3, body: { namespace: 'default' } },
  'POST /api/reindex': { scope: ['read'], cost: 1, body: {} },
  'POST /api/export': { scope: ['read'], cost: 1, body: { recipient_pk: hex32 } },
  'POST /api/import': {
    scope: ['read', 'write'],
    cost: 1,
    body: { memories: [{ envelope: 'AAAA', secret: hex32 }] },
  },
  'POST /api/keys': { scope: ['read'], cost: 1 },
  'POST /api/keys/rewrap': { scope: ['read', 'write'], cost: 1, body: {} },
  'POST /api/forget': { scope: ['forget'], cost: 1, body: { ids: [id] } },
  'POST /api/forget/preview': { scope: ['forget'], cost: 1, body: { ids: [id] } },
};

/** Body limits of open routes; every signed route has the default. */
const openBodies: Record<string, number> = {
  '/sponsor': limits.sponsorBodyBytes,
  '/sponsor/execute': limits.sponsorExecuteBodyBytes,
  ...Object.fromEntries(Object.values(toolPaths).map((path) => [path, toolBodyBytes])),
};

const names = Object.keys(permissionBits) as Permission[];
const registered: Registered[] = [];
const opened = createCloseStack();
let network: TestNetwork;
let backend: TestBackend;
let relayer: Relayer;
let url: string;
let account: TestAccount;
/** A job of the account that has not ended */
let jobId: string;
/** One for each combination of permissions */
let keys: { key: TestKey; permissions: Permission[] }[];

beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  const environment = {
    ...(await relayerEnvironment(network, backend.databaseUrl)),
    ...backend.keys,
    RUST_LOG: 'off',
    PUBLIC_RELAYER_URL: 'https://relayer.example.com',
    PUBLIC_DASHBOARD_URL: 'https://dashboard.example.com',
  };
  const { config } = await loadConfig(environment);
  const loggers = createLoggers(config.log);
  relayer = await startRelayer({ config, loggers, environment, onFatal: expect.fail });
  // A second server of the same relayer, which lists its routes as they are registered
  const app = createApp({ log: loggers.http, allowedOrigins: [], hosts: loopbackHosts });
  app.addHook('onRoute', ({ method, url, bodyLimit, config }) => {
    for (const each of [method].flat())
      registered.push({ name: `${each} ${url}`, bodyLimit, declaration: config?.declaration });
  });
  const listener = { hosts: loopbackHosts, urlAt: (port: number) => `http://127.0.0.1:${port}` };
  const settings = { ...config, port: 0 };
  url = await serve(opened, {
    app,
    context: relayer.context,
    config: settings,
    listener,
    prometheus: undefined,
  });
  account = await network.account();
  keys = Array.from({ length: 8 }, (_, perms) => ({
    key: testKey(),
    permissions: names.filter((name) => (perms & permissionBits[name]) !== 0),
  }));
  for (const { key, permissions } of keys)
    await account.add(key, { perms: permissions.reduce((sum, name) => sum | permissionBits[name], 0) });
  // By a key of its own: a key always sees the jobs that it created
  const author = testKey();
  await account.add(author);
  const parts = { path: '/api/remember', accountId: account.id, body: JSON.stringify({ text: 'a text' }) };
  const accepted = await call(url, author, parts);
  jobId = accepted.body.job_id as string;
}, 300_000);
afterAll(async () => {
  await opened.close();
  await relayer?.close();
  await Promise.all([network?.stop(), backend?.drop()]);
});

test('every route declares who may call it and how long its body may be', () => {
  expect(registered.filter(({ declaration }) => !declaration)).toEqual([]);
  const bodies = registered.map(({ name, bodyLimit, declaration }) => ({
    name,
    bodyLimit,
    auth: declaration?.auth,
  }));
  expect(bodies.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['GET /ready', 'POST /sponsor', `POST ${oauthPaths.token}`, 'DELETE /api/mcp']),
  );
  const expected = bodies.map(({ name }) => {
    const path = name.split(' ')[1]!;
    const isOAuth = Object.values(oauthPaths).some((each) => path.startsWith(each));
    const bearer = Object.values<string>(toolPaths).includes(path);
    return {
      name,
      bodyLimit: openBodies[path] ?? (isOAuth ? 16_384 : limits.bodyBytes),
      auth: /^\/(api|v1)\//.test(path) && !bearer ? 'signature' : bearer ? 'bearer' : 'none',
    } satisfies (typeof bodies)[number];
  });
  expect(bodies).toEqual(expected);
});

test('every signed route declares its scope and its weight', () => {
  const declared = registered.flatMap(({ name, declaration }) =>
    declaration?.auth === 'signature' && !name.startsWith('HEAD ') ? [[name, declaration] as const] : [],
  );
  expect(Object.fromEntries(declared.map(([name, { scope, cost }]) => [name, { scope, cost }]))).toEqual(
    Object.fromEntries(Object.entries(signed).map(([name, { scope, cost }]) => [name, { scope, cost }])),
  );
  const shedding = declared.flatMap(([name, { sheds }]) => (sheds ? [name] : []));
  expect(shedding).toEqual(['POST /api/remember', 'POST /api/remember/bulk']);
  const perFact = declared.filter(([, { costPerFact }]) => costPerFact !== undefined);
  expect(perFact.map(([name, { costPerFact }]) => [name, costPerFact])).toEqual([['POST /api/analyze', 1]]);
});

test.each(Object.entries(signed))(
  '%s serves the keys that have its scope, and no others',
  async (name, { scope, body }) => {
    const [method, path] = name.split(' ') as [string, string];
    const owner = account.owner.toSuiAddress();
    const parts = {
      method,
      path: path.replace(':owner', owner).replace(/:(job_)?id/, jobId),
      accountId: account.id,
      ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
    };
    const refused: Permission[][] = [];
    for (const { key, permissions } of keys) {
      const { d: seed } = key.privateKey.export({ format: 'jwk' });
      const answer = await call(url, key, parts, {
        [headers.delegateKey]: Buffer.from(seed!, 'base64url').toString('hex'),
      });
      expect(answer.status, JSON.stringify(answer.body)).not.toBe(401);
      // A key that may see no job or memory is not told whether this one exists
      const hidden =
        /\/(retry|replace)$/.test(path) &&
        ['job_not_found', 'memory_not_found'].includes(answer.body.error as string);
      if (hidden || answer.body.error === 'insufficient_scope') refused.push(permissions);
    }
    const allScopes = keys.map(({ permissions }) => permissions);
    expect(refused).toEqual(allScopes.filter((each) => !scope.every((name) => each.includes(name))));
  },
);
