import { join } from 'node:path';
import { errorCatalogue, jobErrorCatalogue } from '@memrelay/protocol/errors';
import { corsAllowedHeaders, corsExposedHeaders } from '@memrelay/protocol/headers';
import { knownVariables } from '@memrelay/protocol/variables';
import { featureFlags } from '@memrelay/protocol/versions';
import { expect, it } from 'vitest';
import { declaredFields, declaredRoutes } from './declared-names.ts';
import { repository, root } from './repository.ts';

/** Names by category, each list sorted. */
type Contract = Record<string, string[]>;

const snapshotPath = 'docs/contract-snapshot.json';
const fieldFiles = [
  'memories',
  'llm',
  'llm-usage',
  'hit-explanation',
  'memory-lists',
  'single-memory',
  'profile',
  'service-info',
  'credential-file',
  'enc-session',
  'fields',
];

const current: Contract = sorted({
  variables: [...knownVariables],
  headers: [...new Set([...corsAllowedHeaders, ...corsExposedHeaders])],
  errors: Object.entries(errorCatalogue).map(([code, { status }]) => `${code} ${status}`),
  jobErrors: Object.keys(jobErrorCatalogue),
  relayerRoutes: routesBelow('apps/relayer/src/'),
  blobStoreRoutes: routesBelow('apps/blobstore/src/'),
  fields: fieldFiles.flatMap((name) => declaredFields(repository.read(`packages/protocol/src/${name}.ts`))),
  featureFlags: Object.keys(featureFlags),
});

const snapshot: Contract = repository.paths.includes(snapshotPath)
  ? JSON.parse(repository.read(snapshotPath))
  : {};

it('keeps every name that clients and operators rely on', () => {
  const missing = Object.entries(snapshot).flatMap(([kind, names]) =>
    names.filter((name) => !current[kind]?.includes(name)).map((name) => `${kind}: ${name}`),
  );
  expect(
    missing,
    `announce it in "deprecations" (packages/protocol/src/versions.ts) and keep it until the next major version; only then take it out of ${snapshotPath} by hand`,
  ).toEqual([]);
});

it('contains every new name (update it with: npx vitest run scripts/requirements -u)', async () => {
  // An update never removes a name
  const kinds = Object.keys({ ...snapshot, ...current });
  const union = Object.fromEntries(
    kinds.map((kind) => [kind, [...new Set([...(snapshot[kind] ?? []), ...(current[kind] ?? [])])]]),
  );
  await expect(`${JSON.stringify(sorted(union), null, 2)}\n`).toMatchFileSnapshot(join(root, snapshotPath));
});

it('finds routes and fields in every form of declaration', () => {
  expect(
    declaredRoutes(`
      app.get<{ Params: { id: string } }>('/a/:id', async () => 1);
      app.route({ method: ['GET', 'HEAD'], url: '/b', handler });
      other.get(name); map.get('key');`),
  ).toEqual(['GET /a/:id', 'GET /b', 'HEAD /b', 'GET key']);
  expect(
    declaredFields(`
      export const request = z.object({ text: field(1), namespace, inner: z.array(z.object({ a: z.string() })) });
      export interface Answer { ok: true; error?: { code: string } }
      const own = z.object({ hidden: z.string() });`),
  ).toEqual([
    'request.text',
    'request.namespace',
    'request.inner',
    'request.inner.a',
    'Answer.ok',
    'Answer.error',
    'Answer.error.code',
  ]);
});

function routesBelow(folder: string): string[] {
  return repository.code
    .filter(({ path }) => path.startsWith(folder))
    .flatMap(({ text }) => declaredRoutes(text))
    .filter((route) => route.includes(' /'));
}

function sorted(contract: Contract): Contract {
  return Object.fromEntries(Object.entries(contract).map(([kind, names]) => [kind, names.toSorted()]));
}
