import { toolPaths } from '@memrelay/protocol/tool-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runConformance } from './conformance-suite.ts';
import { createConformanceServer } from './conformance-tools.ts';
import { startCredentialProxy } from './credential-proxy.ts';
import { type ServedTools, startToolWorld, type ToolWorld } from './tool-world.ts';

/** Scenarios that are expected to fail, with the reason. */
const expectedFailures = {
  'dns-rebinding-protection': 'the relayer checks Host and Origin: testing/test/e2e/tools-over-http.test.ts',
  'server-sse-polling':
    'it uses revision 2025-03-26, whose clients treat an event without data as an error, so the server sends none',
};

let world: ToolWorld;
let served: ServedTools;
beforeAll(async () => {
  world = await startToolWorld();
  served = await world.serve({ makeServer: createConformanceServer });
});
afterAll(async () => {
  await served?.close();
  await world?.close();
});

test('the transport passes the public conformance suite', async () => {
  const { headers } = await (await world.createOwner()).addDelegate();
  const proxy = await startCredentialProxy(served.url, headers);
  const result = await runConformance(proxy.url + toolPaths.mcp);
  await proxy.close();
  expect(result.scenarios).toBe(32);
  expect(Object.keys(result.failures).sort()).toEqual(Object.keys(expectedFailures).sort());
}, 60_000);
