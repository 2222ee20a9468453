import type { AddressInfo } from 'node:net';
import { launchChromium } from '@memrelay/dev-env/launch-chromium';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/api/http/app.ts';
import { referenceRoutes } from '../../src/api/openapi/reference-routes.ts';
import { tags } from '../openapi/described-operation.ts';
import { loopbackHosts } from '../support/loopback-hosts.ts';

let app: FastifyInstance;
let url: string;
beforeAll(async () => {
  app = createApp({ log: pino({ level: 'silent' }), allowedOrigins: [], hosts: loopbackHosts });
  referenceRoutes(app);
  await app.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(() => app.close());

test('serves the document as JSON', async () => {
  const response = await fetch(`${url}/openapi.json`);
  expect(response.headers.get('content-type')).toBe('application/json');
  const document = (await response.json()) as { openapi: string; paths: object };
  expect(document.openapi).toBe('3.1.0');
  expect(Object.keys(document.paths)).toContain('/api/remember/{job_id}');
});

test.skipIf(!process.env.MEMRELAY_TEST_CHROMIUM)(
  'the page shows every section, reports no error and contacts no other server',
  async () => {
    await using cleanUp = new AsyncDisposableStack();
    const browser = await launchChromium();
    cleanUp.defer(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const requested: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(`${url}/reference`);
    await page.getByRole('heading', { name: 'memrelay API', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Store a memory' }).first().waitFor();
    for (const name of Object.keys(tags)) await page.getByText(name, { exact: true }).first().waitFor();
    expect(errors).toEqual([]);
    expect(requested.filter((each) => !/^(data|blob):/.test(each) && !each.startsWith(url))).toEqual([]);
  },
);
