import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { permissions } from '@memrelay/chain/account-bcs';
import { parseHeader } from '@memrelay/envelope/header';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import type { ImportRequest } from '@memrelay/protocol/bundles';
import { exportBundle } from '@memrelay/sdk/bundle/export-bundle';
import { importBundle } from '@memrelay/sdk/bundle/import-bundle';
import { type Bundle, openBundle } from '@memrelay/sdk/bundle/open-bundle';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { commandOf } from '../../src/memrelay-command.ts';
import { rawRequest } from '../../src/raw-request.ts';
import { sealedLike } from '../../src/sealed-like.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestKey, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/**
 * Moves memories to a server that shares nothing with the first one: it has a different network (so a different package and
 * key servers), database, secrets and owner.
 */

interface Deployment {
  network: TestNetwork;
  backend: TestBackend;
  relayer: TestRelayer;
  owner: TestOwner;
  client: MemRelay;
}
let provider: EmbeddingProvider;
let source: Deployment;
let target: Deployment;

const passphrase = 'correct horse battery staple';
const passphraseFile = (): string => join(source.network.dataDir, 'passphrase');
const file = (): string => join(source.network.dataDir, 'memories.mrb');
const long = `${'The third of many pages about lighthouses. '.repeat(130)}The keeper was called Ines.`;
const texts = [
  { text: 'Rosa waters the lemon tree on Mondays.', namespace: 'garden' },
  { text: 'The garden gate squeaks when it rains.', namespace: 'garden' },
  { text: 'The ferry to the island leaves at nine.', namespace: 'trips' },
  { text: long, namespace: 'trips' },
];

async function startDeployment(): Promise<Deployment> {
  const [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  const environment = { LLM_API_KEY: 'test', LLM_API_BASE: provider.url };
  const [relayer, owner] = await Promise.all([
    startTestRelayer(network, { ...backend, environment }),
    createTestOwner(network),
  ]);
  return { network, backend, relayer, owner, client: owner.client(relayer.url) };
}
async function stopDeployment(deployment: Deployment | undefined): Promise<void> {
  deployment?.client.destroy();
  await deployment?.relayer.stop();
  await Promise.all([deployment?.network.close(), deployment?.backend.drop()]);
}

beforeAll(async () => {
  provider = await startEmbeddingProvider();
  [source, target] = await Promise.all([startDeployment(), startDeployment()]);
  await source.client.rememberBulkAndWait(texts);
  await writeFile(passphraseFile(), `${passphrase}\n`);
});
afterAll(async () => {
  await Promise.all([stopDeployment(source), stopDeployment(target)]);
  await provider?.close();
});

const questions = [
  { query: 'when does the lemon tree get water?', namespace: 'garden' },
  { query: 'who was the keeper of the lighthouse?', namespace: 'trips' },
];
const answers = (client: MemRelay) =>
  Promise.all(
    questions.map(async ({ query, namespace }) => {
      const { results } = await client.recall(query, { minScore: -1, namespace });
      return results.map(({ text, distance, createdAt }) => ({ text, createdAt, distance }));
    }),
  );
const blobsOf = async ({ network, owner }: Deployment): Promise<number> => {
  const type = `${network.info.walrus.packageId}::blob::Blob`;
  return (await network.chain.sui.core.listOwnedObjects({ owner: owner.wallet.address, type })).objects
    .length;
};
async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
const cheap = { passphrase, scryptLogN: 10, primitives: nodePrimitives };
async function bundleOf(client: MemRelay, namespace?: string): Promise<Bundle> {
  const parts: Uint8Array[] = [];
  for await (const part of exportBundle(client, { ...cheap, namespace })) parts.push(part);
  const bytes = Buffer.concat(parts);
  return openBundle(() => bytesOf(bytes), passphrase, nodePrimitives);
}
/** The first request of an import. */
async function firstRequest(bundle: Bundle): Promise<ImportRequest> {
  let sent: ImportRequest | undefined;
  const stop = new Error('seen');
  const client = {
    importPage: (request: ImportRequest) => {
      sent = request;
      return Promise.reject(stop);
    },
  };
  const sending = async () => {
    for await (const _ of importBundle(client, bundle, { primitives: nodePrimitives }));
  };
  await expect(sending()).rejects.toBe(stop);
  return sent!;
}
const known = (deployment: Deployment, key: TestKey) =>
  expect
    .poll(
      async () =>
        (await deployment.owner.client(deployment.relayer.url, { key: key.privateKey }).account()).active,
      {
        timeout: 10_000,
      },
    )
    .toBe(true);

describe('a bundle', () => {
  test('is imported by another server for another owner, and gives the same recall results', async () => {
    const before = await answers(source.client);
    const exporting = await commandOf(source.network, source.owner, source.relayer.url);
    const out = await exporting('export', file(), '--passphrase-file', passphraseFile());
    expect(out).toMatchObject({ code: 0, last: { memories: 4, failed: [] } });
    const bytes = await readFile(file());
    for (const word of ['lemon', 'garden', 'lighthouse']) expect(bytes.includes(word)).toBe(false);

    provider.texts.length = 0;
    const importing = await commandOf(target.network, target.owner, target.relayer.url);
    const taken = await importing('import', file(), '--passphrase-file', passphraseFile());
    expect(taken).toMatchObject({
      code: 0,
      last: { total: 4, stored: 4, known: 0, unverified: 0, failed: [] },
    });
    // Vectors of the same model are included: nothing was re-embedded
    expect(provider.texts).toEqual([]);
    // Vectors are stored in 16 bits under a map of each account
    const sameRanks = before.map((hits) =>
      hits.map((hit) => ({ ...hit, distance: expect.closeTo(hit.distance, 3) })),
    );
    expect(await answers(target.client)).toEqual(sameRanks);
    expect(await blobsOf(target)).toBeGreaterThan(0);
  });

  test('stores nothing twice when imported again', async () => {
    const blobs = await blobsOf(target);
    const importing = await commandOf(target.network, target.owner, target.relayer.url);
    const again = await importing('import', file(), '--passphrase-file', passphraseFile());
    expect(again).toMatchObject({ code: 0, last: { total: 4, stored: 4, known: 4 } });
    expect(await blobsOf(target)).toBe(blobs);
    expect((await target.client.stats()).memoryCount).toBe(4);
  });

  test('imports nothing with a wrong passphrase, or when truncated or modified', async () => {
    const other = await createTestOwner(target.network);
    const command = await commandOf(target.network, other, target.relayer.url);
    const wrong = join(source.network.dataDir, 'wrong');
    await writeFile(wrong, 'correct horse battery stable');
    const cut = join(source.network.dataDir, 'cut.mrb');
    await writeFile(cut, await readFile(file()));
    await truncate(cut, (await readFile(file())).length - 20);
    const changed = join(source.network.dataDir, 'changed.mrb');
    const bytes = await readFile(file());
    bytes[bytes.length - 400]! ^= 1;
    await writeFile(changed, bytes);
    const tries: [string, string, string][] = [
      [file(), wrong, 'wrong_passphrase'],
      [cut, passphraseFile(), 'bundle_cut_off'],
      [changed, passphraseFile(), 'invalid_bundle'],
    ];
    for (const [path, secret, code] of tries)
      expect(await command('import', path, '--passphrase-file', secret)).toMatchObject({
        code: 1,
        last: { error: code },
      });
    const client = other.client(target.relayer.url);
    expect(await client.stats()).toMatchObject({ memoryCount: 0, jobs: { running: 0, failed: 0 } });
  });

  test('counts memories of untrusted writers as unverified and does not store them', async () => {
    const other = await createTestOwner(target.network);
    const command = await commandOf(target.network, other, target.relayer.url);
    const end = await command('import', file(), '--passphrase-file', passphraseFile(), '--no-bundle-writers');
    expect(end.code).toBe(1);
    const client = other.client(target.relayer.url);
    expect(await client.stats()).toMatchObject({ memoryCount: 0, jobs: { running: 0 } });
    const bundle = await bundleOf(source.client);
    const results = [];
    for await (const part of importBundle(client, bundle, { trustedWriters: [], primitives: nodePrimitives }))
      results.push(...part.memories.map(({ result }) => result));
    expect(results).toEqual(
      bundle.trustedWriters.slice(0, 1).flatMap((signer) => Array(4).fill({ status: 'unverified', signer })),
    );
  });

  test('restores memories forgotten since the export only when asked to', async () => {
    const text = 'A note that is forgotten and wanted back.';
    const namespace = 'second-thoughts';
    await source.client.rememberAndWait(text, { namespace });
    const bundle = await bundleOf(source.client, namespace);
    await source.client.forget({ namespace });
    expect((await source.client.recall('wanted back?', { minScore: -1, namespace })).results).toEqual([]);
    const jobIds: string[] = [];
    for await (const { memories } of importBundle(source.client, bundle, { primitives: nodePrimitives }))
      for (const { result } of memories) if (result.status === 'running') jobIds.push(result.jobId);
    await source.client.waitForJobs(jobIds);
    expect((await source.client.recall('wanted back?', { minScore: -1, namespace })).results).toMatchObject([
      { text },
    ]);
  });

  test('keeps which memory replaces which, under new ids', async () => {
    const namespace = 'moves';
    const { blobId } = await source.client.rememberAndWait('Ines lives in Porto', { namespace });
    const blob = await fetch(`${source.network.blobstoreUrl}/v1/blobs/${blobId}`);
    const header = parseHeader(new Uint8Array(await blob.arrayBuffer()));
    const encryptedData = sealedLike(header, {
      namespace,
      text: 'Ines lives in Faro',
      signer: Buffer.from(source.owner.delegate.privateKey, 'hex'),
      supersedes: [Buffer.from(header.envelopeId).toString('hex')],
    });
    const vector = [1, ...new Array<number>(1_535).fill(0)];
    await source.client.rememberManual({ encryptedData, vector, namespace });
    const jobIds: string[] = [];
    // Newest first: the replacing memory comes before the replaced one
    for await (const { memories } of importBundle(target.client, await bundleOf(source.client, namespace)))
      for (const { result } of memories) if (result.status === 'running') jobIds.push(result.jobId);
    const [next, old] = await target.client.waitForJobs(jobIds);
    const { memories } = await target.client.memoriesPage({ namespace });
    const links = new Map(memories.map(({ blobId: id, supersededBy }) => [id, supersededBy]));
    expect(links).toEqual(
      new Map([
        [next!.blobId, undefined],
        [old!.blobId, jobIds[0]],
      ]),
    );
    const moved = await fetch(`${target.network.blobstoreUrl}/v1/blobs/${old!.blobId}`);
    expect(parseHeader(new Uint8Array(await moved.arrayBuffer())).envelopeId).not.toEqual(header.envelopeId);
    const { results } = await target.client.recall('where does Ines live?', { namespace });
    expect(results.find(({ supersededBy }) => supersededBy)!.text).toBe('Ines lives in Porto');
    for (const { client } of [source, target]) await client.forget({ namespace });
  });
});

describe('the routes', () => {
  test('need READ or WRITE in the namespace, and a decrypt credential', async () => {
    const reader = newTestKey();
    const writer = newTestKey();
    await source.owner.addDelegate(reader, { perms: permissions.read, namespaces: ['garden'] });
    await source.owner.addDelegate(writer, { perms: permissions.write });
    await Promise.all([known(source, reader), known(source, writer)]);
    const limited = source.owner.client(source.relayer.url, { key: reader.privateKey });
    const bundle = await bundleOf(limited);
    expect(bundle.memories).toBe(2);
    await expect(bundleOf(limited, 'trips')).rejects.toMatchObject({ code: 'insufficient_scope' });
    const send = async (key: TestKey) => {
      const client = source.owner.client(source.relayer.url, { key: key.privateKey });
      for await (const _ of importBundle(client, bundle, { primitives: nodePrimitives }));
    };
    await expect(send(reader)).rejects.toMatchObject({ code: 'insufficient_scope' });
    await expect(send(writer)).rejects.toMatchObject({ code: 'insufficient_scope' });
    await expect(
      bundleOf(source.owner.client(source.relayer.url, { key: writer.privateKey })),
    ).rejects.toMatchObject({ code: 'insufficient_scope' });

    const { accountId, delegate } = source.owner;
    const bare = (path: string, body: unknown) =>
      rawRequest(source.relayer.url, delegate, { path, body, accountId });
    const request = await firstRequest(bundle);
    const refused = { status: 403, body: { error: 'decrypt_credential_required' } };
    expect(await bare('/api/export', { recipient_pk: 'ab'.repeat(32) })).toMatchObject(refused);
    expect(await bare('/api/import', request)).toMatchObject(refused);
  });

  test('reject each invalid memory and store the others', async () => {
    const other = await createTestOwner(target.network);
    const client = other.client(target.relayer.url);
    const { memories, trusted_writers } = await firstRequest(await bundleOf(source.client, 'garden'));
    const [first, second] = memories as [ImportRequest['memories'][0], ImportRequest['memories'][0]];
    const flipped = Buffer.from(first.envelope, 'base64');
    flipped[flipped.length - 1]! ^= 1;
    const answer = await client.importPage({
      memories: [
        { ...first, secret: second.secret },
        { ...first, envelope: flipped.toString('base64') },
        { ...first, envelope: Buffer.from('no envelope at all').toString('base64') },
        second,
      ],
      ...(trusted_writers ? { trusted_writers } : {}),
    });
    expect(answer.results).toMatchObject([
      { status: 'failed', reason: 'decrypt_failed' },
      { status: 'failed', reason: 'decrypt_failed' },
      { status: 'failed', reason: 'malformed' },
      { status: 'running' },
    ]);
    await client.waitForJobs(answer.job_ids);
    expect((await client.stats()).memoryCount).toBe(1);
    const vectors = { ...second.vectors!, values: ['AAAA'] };
    await expect(
      client.importPage({ memories: [{ ...first, vectors }], trusted_writers: trusted_writers! }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(client.exportPage({ recipient_pk: '00'.repeat(32), limit: 5 })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('re-embed memories that come with vectors of another model', async () => {
    const other = await createTestOwner(target.network);
    const client = other.client(target.relayer.url);
    const { memories, trusted_writers } = await firstRequest(await bundleOf(source.client, 'garden'));
    provider.texts.length = 0;
    const older = memories.map(({ vectors, ...memory }) => ({
      ...memory,
      vectors: { ...vectors!, model: 'older' },
    }));
    const { job_ids } = await client.importPage({ memories: older, trusted_writers: trusted_writers! });
    await client.waitForJobs(job_ids);
    expect(provider.texts.length).toBe(2);
    const { results } = await client.recall('lemon tree', { minScore: -1, namespace: 'garden' });
    expect(results.length).toBe(2);
  });
});
