import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { FastifyInstance } from 'fastify';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { openApiDocument } from '../src/openapi/document.ts';
import { operations, problemWith } from './api-document.ts';
import { startStore } from './running-store.ts';

const adminToken = 'opens-the-admin-routes-of-a-test';

test('the document is OpenAPI 3.1, and is served unchanged', async () => {
  const { url } = await startStore();
  const response = await fetch(`${url}/v1/api/openapi.json`);
  expect(response.headers.get('content-type')).toBe('application/json');
  const document = (await response.json()) as Record<string, unknown>;
  expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument)));
  const validator = new Validator();
  expect(await validator.validate(document)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('each operation has a unique name and a section', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const sections = openApiDocument.tags.map(({ name }) => name);
  for (const { operation } of operations) expect(sections).toEqual(expect.arrayContaining(operation.tags));
});

test('every example matches its schema', () => {
  let examples = 0;
  for (const { path, method, operation } of operations) {
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      for (const [type, media] of Object.entries(content)) {
        for (const { value } of Object.values(media.examples ?? {})) {
          examples += 1;
          const place = ['paths', path, method, 'responses', status, 'content', type, 'schema'];
          expect([path, status, problemWith(value, ...place)]).toEqual([path, status, undefined]);
        }
      }
    }
  }
  expect(examples).toBeGreaterThan(200);
});

/** The paths that a store registers while `run` starts it. */
async function registeredPaths(run: () => Promise<unknown>): Promise<Set<string>> {
  const paths = new Set<string>();
  const watch = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ url }) => void paths.add(url));
  };
  subscribe('fastify.initialization', watch);
  try {
    await run();
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
  return paths;
}

/** A path with its parameter names removed, because the code uses other names. */
function unnamed(path: string): string {
  return path.replaceAll(/:\w+|\{\w+\}/g, '*');
}

test("the document's routes and methods are exactly the registered ones", async () => {
  let url = '';
  const registered = await registeredPaths(async () => {
    ({ url } = await startStore({ adminToken }));
  });
  const described = Object.keys(openApiDocument.paths);
  expect(described.map(unnamed).toSorted()).toEqual([...registered].map(unnamed).toSorted());
  for (const [path, methods] of Object.entries(openApiDocument.paths)) {
    // No route supports PURGE, so the response lists the supported methods.
    const response = await fetch(url + path.replaceAll(/\{\w+\}/g, 'x'), { method: 'PURGE' });
    const allowed = (response.headers.get('allow') ?? '').toLowerCase().split(',');
    expect([path, allowed.toSorted()]).toEqual([path, Object.keys(methods).toSorted()]);
  }
});

const executablePath = process.env.MEMRELAY_TEST_CHROMIUM;

test.skipIf(executablePath === undefined)(
  'the page shows every section and contacts no other server',
  async () => {
    const { url } = await startStore();
    await using cleanUp = new AsyncDisposableStack();
    const browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] });
    cleanUp.defer(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const asked: string[] = [];
    const trouble: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('pageerror', (error) => trouble.push(error.message));
    page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
    await page.goto(`${url}/v1/api`);
    await page.getByRole('heading', { name: 'Blob store', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Store a blob' }).first().waitFor();
    for (const { name } of openApiDocument.tags)
      await page.getByText(name, { exact: true }).first().waitFor();
    expect(trouble).toEqual([]);
    expect(asked.filter((address) => !/^(data|blob):/.test(address) && !address.startsWith(url))).toEqual([]);
  },
);
