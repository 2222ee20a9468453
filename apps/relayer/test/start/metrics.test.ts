import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { createTestBackend, type TestBackend } from '@memrelay/dev-env/test-backend';
import { freePorts } from '@memrelay/process/free-ports';
import { sidecarMetrics } from '@memrelay/protocol/sidecar-metrics';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPrometheusMetrics } from '../../src/api/metrics/prometheus.ts';
import { createLoggers } from '../../src/base/logging/loggers.ts';
import { metricCatalogue } from '../../src/base/metrics/metrics.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type Relayer, startRelayer } from '../../src/relayer.ts';
import {
  startTestNetwork,
  type TestAccount,
  type TestKey,
  type TestNetwork,
  testKey,
} from '../support/localnet-process.ts';
import { relayerEnvironment } from '../support/relayer-process.ts';
import { call, send } from '../support/signed-request.ts';

/** The metrics of a relayer after real requests, read by a real HTTP client. */

let network: TestNetwork;
let backend: TestBackend;
let relayer: Relayer;
let metricsUrl: string;
let account: TestAccount;
let key: TestKey;

beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  const [port] = await freePorts(1);
  metricsUrl = `http://127.0.0.1:${port}`;
  const environment = {
    ...(await relayerEnvironment(network, backend.databaseUrl)),
    ...backend.keys,
    RUST_LOG: 'off',
    RATE_LIMIT_KEY_PER_MINUTE: '20',
    METRICS_PORT: String(port),
  };
  const { config } = await loadConfig(environment);
  const loggers = createLoggers(config.log);
  relayer = await startRelayer({ config, loggers, environment, onFatal: expect.fail });
  account = await network.account();
  key = testKey();
  await account.add(key);
  // Four are accepted, then the limit of the key refuses them
  for (let i = 0; i < 6; i++) {
    const body = JSON.stringify({ text: `text ${i}`, namespace: 'private-name' });
    await call(relayer.url, key, { path: '/api/remember', accountId: account.id, body });
  }
}, 300_000);
afterAll(async () => {
  await relayer?.close();
  await Promise.all([network?.stop(), backend?.drop()]);
});

/** The value of each series, by its name and labels */
async function scrape(): Promise<{ text: string; series: Map<string, number> }> {
  const response = await fetch(`${metricsUrl}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const series = lines.map((line): [string, number] => {
    const end = line.lastIndexOf(' ');
    return [line.slice(0, end), Number(line.slice(end + 1))];
  });
  return { text, series: new Map(series) };
}
const requests = (route: string, status: string) =>
  `memrelay_http_request_duration_seconds_count{route="${route}",method="POST",status="${status}"}`;

test('show requests, errors, refusals, the queue and dependencies', async () => {
  const { text, series } = await scrape();
  expect(series.get(requests('/api/remember', '2xx'))).toBe(4);
  expect(series.get(requests('/api/remember', '4xx'))).toBe(2);
  expect(series.get('memrelay_http_errors_total{code="rate_limited"}')).toBe(2);
  expect(series.get('memrelay_limit_refusals_total{limit="key"}')).toBe(2);
  expect(series.get('memrelay_http_stage_duration_seconds_count{stage="commit"}')).toBe(4);
  // The publisher does not respond
  expect(series.get('memrelay_jobs_waiting')).toBe(4);
  expect(series.get('memrelay_oldest_job_age_seconds')).toBeGreaterThanOrEqual(0);
  expect(series.get('memrelay_dependency_up{dependency="database"}')).toBe(1);
  expect(series.get('memrelay_dependency_up{dependency="blob_store"}')).toBe(0);
  expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  for (const [name, { type }] of Object.entries({ ...metricCatalogue, ...sidecarMetrics }))
    expect(text).toContain(`# TYPE ${name} ${type}`);
});

test('show calls to other services, the sidecar with its pools and calls, caches and pipeline stages', async () => {
  const wanted = {
    'the chain, by the relayer': /^memrelay_call_duration_seconds_count\{dependency="chain",.*outcome="ok"/,
    'the sidecar':
      /^memrelay_call_duration_seconds_count\{dependency="sidecar",operation="keys",outcome="ok"/,
    'the chain, by the sidecar': /^memrelay_sidecar_call_duration_seconds_count\{dependency="chain",/,
    'a publisher that does not respond':
      /^memrelay_sidecar_call_duration_seconds_count\{dependency="blob_store",operation="store",outcome="error"/,
    'a request to the sidecar':
      /^memrelay_sidecar_request_duration_seconds_count\{route="\/keys",status="2xx"/,
    'a cache': /^memrelay_cache_requests_total\{cache="account",result="hit"/,
    'a stage': /^memrelay_job_stage_duration_seconds_count\{stage="embedding"/,
    'the process of the sidecar': /^memrelay_sidecar_process_resident_memory_bytes/,
  };
  let series = new Map<string, number>();
  // Jobs are embedded and uploaded in the background
  await expect
    .poll(
      async () => {
        ({ series } = await scrape());
        const recorded = [...series].filter(([, value]) => value > 0).map(([name]) => name);
        return Object.entries(wanted).flatMap(([what, pattern]) =>
          recorded.some((name) => pattern.test(name)) ? [] : [what],
        );
      },
      { timeout: 30_000 },
    )
    .toEqual([]);
  for (const pool of ['seal', 'open'])
    expect(series.get(`memrelay_sidecar_pool_waiting{pool="${pool}"}`)).toBe(0);
  expect(series.get('memrelay_sidecar_scraped')).toBe(1);
});

/** Background work of relayer and sidecar may add others at any time */
const ofRequests = /^memrelay_(?:http|limit|deprecated|cache|model)_/;

test('have no more series after random paths, methods and names, and nothing about a tenant', async () => {
  const noise = (i: number) =>
    send(relayer.url, {}, { method: i % 2 ? 'GET' : 'REPORT', path: `/${randomUUID()}/${i}`, body: '' });
  await Promise.all([noise(0), noise(1)]);
  const before = await scrape();
  await Promise.all(Array.from({ length: 100 }, (_, i) => noise(i)));
  const { text, series } = await scrape();
  expect([...series.keys()].filter((name) => ofRequests.test(name)).sort()).toEqual(
    [...before.series.keys()].filter((name) => ofRequests.test(name)).sort(),
  );
  const owner = account.owner.toSuiAddress();
  for (const secret of [account.id, owner, key.publicKey, 'private-name', '127.0.0.1'])
    expect(text).not.toContain(secret.replace(/^0x/, ''));
});

test('are on their own port only, for the names that the relayer has', async () => {
  expect((await fetch(`${relayer.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${metricsUrl}/health`)).status).toBe(404);
  const rebound = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${metricsUrl}/metrics`, { headers: { host: 'evil.example' } }, resolve).on('error', reject);
  });
  rebound.resume();
  expect(rebound.statusCode).toBe(403);
});

test.each(['alerts.yml', 'dashboard.json'])('%s uses only metrics and labels that exist', async (file) => {
  const text = await readFile(new URL(`../../../../deploy/observability/${file}`, import.meta.url), 'utf8');
  if (file.endsWith('.json')) JSON.parse(text);
  const { text: scraped } = await scrape();
  const names = [...new Set(text.match(/\b(memrelay|process|nodejs)_[a-z_]+/g))];
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) expect(scraped, name).toMatch(new RegExp(`^(# TYPE )?${name}[ {]`, 'm'));
  const declared = [...Object.values(metricCatalogue), ...Object.values(sidecarMetrics)];
  const labels = new Set<string>(declared.flatMap(({ labels: own }) => [...own]));
  const used = [...text.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, list]) => list!.split(', '));
  expect(used.filter((label) => label !== 'le' && !labels.has(label))).toEqual([]);
});

test('a gauge that cannot be read is left out, and the others stay', async () => {
  const metrics = createPrometheusMetrics();
  metrics.read('memrelay_jobs_waiting', async () => Promise.reject(new Error('no database')));
  metrics.read('memrelay_oldest_job_age_seconds', async () => [{ labels: {}, value: 7 }]);
  const text = await metrics.text();
  expect(text).not.toMatch(/^memrelay_jobs_waiting/m);
  expect(text).toMatch(/^memrelay_oldest_job_age_seconds 7$/m);
});
