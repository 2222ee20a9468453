import { randomUUID } from 'node:crypto';
import { permissions } from '@memrelay/chain/account-bcs';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { profile } from 'memrelay/commands/profile';
import { createOutput } from 'memrelay/terminal/output';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withCredentialFile } from '../../src/credentials-of.ts';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { rawRequest } from '../../src/raw-request.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { newTestKey } from '../../src/test-owner.ts';

/** Tests facts about the owner or a subject, collected from memories without a model call. */

let world: RelayerWorld;
let provider: EmbeddingProvider;
let client: MemRelay;
let namespace: string;

beforeAll(async () => {
  provider = await startEmbeddingProvider();
  world = await RelayerWorld.create({ environment: { LLM_API_KEY: 'test', LLM_API_BASE: provider.url } });
});
afterAll(async () => {
  await world?.close();
  await provider?.close();
});
beforeEach(() => {
  namespace = randomUUID();
  client = world.client({ namespace });
});

const fact = (text: string, importance: string) => ({ text, importance, relation: 'new', memory: null });
const textsOf = ({ facts }: { facts: { text: string }[] }) => facts.map(({ text }) => text);

async function analyzed(...facts: object[]): Promise<string[]> {
  provider.chat.answer = () => ({ content: { facts } });
  const { jobIds } = await client.analyze('a text that states these facts');
  await client.waitForJobs(jobIds);
  provider.chat.calls.length = 0;
  return jobIds;
}

describe('a profile', () => {
  test('without a subject has the most important facts first, each with its source, without a model call', async () => {
    const ids = await analyzed(
      fact('Ana went to Porto.', 'trivial'),
      fact('Ana is allergic to nuts.', 'vital'),
      fact('Ana lives in Lisbon.', 'standard'),
    );
    const profile = await client.profile();
    expect(profile).toMatchObject({ namespace, total: 3 });
    expect(textsOf(profile)).toEqual([
      'Ana is allergic to nuts.',
      'Ana lives in Lisbon.',
      'Ana went to Porto.',
    ]);
    expect(profile.facts[0]!.sources).toEqual([
      { id: ids[1], blobId: expect.any(String), createdAt: expect.stringMatching(/Z$/) },
    ]);
    expect(textsOf(await client.profile({ limit: 1 }))).toEqual(['Ana is allergic to nuts.']);
    expect(provider.chat.calls).toEqual([]);
  });

  test('follows replacements and forgetting', async () => {
    const [old, other] = await analyzed(
      fact('Ana lives in Porto.', 'standard'),
      fact('Ana keeps bees.', 'standard'),
    );
    await client.waitForJob((await client.replace(old!, 'Ana lives in Lisbon.')).jobId);
    await client.forget({ ids: [other!], namespace });
    expect(textsOf(await client.profile())).toEqual(['Ana lives in Lisbon.']);
    expect(textsOf(await client.profile({ subject: 'Ana' }))).toEqual(['Ana lives in Lisbon.']);
  });

  test('of a subject has the facts about it, also from longer memories', async () => {
    await client.rememberBulkAndWait(
      [
        'Bo bakes bread. He met Ana in Faro! What did she say? They had coffee.',
        'The boiler is serviced in May.',
        'Ana plays the cello.',
        'ana plays the cello',
      ].map((text) => ({ text, namespace })),
    );
    const { facts } = await client.profile({ subject: 'Ana' });
    const texts = facts.map(({ text }) => text.toLowerCase().replace(/\.$/, ''));
    expect(texts).toContain('ana plays the cello');
    expect(texts).toContain('he met ana in faro!');
    expect(texts.filter((text) => /boiler|bread|coffee|\?/.test(text))).toEqual([]);
    // Two memories say the same
    expect(facts.find(({ text }) => /cello/i.test(text))!.sources.length).toBe(2);
  });

  test('shows nothing of other namespaces, and needs READ and a credential', async () => {
    await client.rememberAndWait('Ana has a secret garden.');
    expect((await client.profile({ namespace: randomUUID() })).facts).toEqual([]);
    const ask = (key = world.owner.delegate, body: object = { namespace }) =>
      rawRequest(world.relayer.url, key, {
        path: '/api/profile',
        body,
        accountId: world.owner.accountId,
      });
    for (const body of [{ namespace }, { namespace, subject: 'Ana' }])
      expect(await ask(world.owner.delegate, body)).toMatchObject({
        status: 403,
        body: { error: 'decrypt_credential_required' },
      });
    const elsewhere = newTestKey();
    await world.owner.addDelegate(elsewhere, { perms: permissions.all, namespaces: ['other'] });
    const stranger = world.client({ key: elsewhere.privateKey, namespace });
    for (const subject of [undefined, 'Ana'])
      await expect(stranger.profile({ subject })).rejects.toMatchObject({ code: 'insufficient_scope' });
    expect(await ask(world.owner.delegate, { subject: ' ' })).toMatchObject({ status: 400 });
  });

  test('is printed by the command', async () => {
    const { jobId } = await client.rememberAndWait('Ana plays the cello.');
    await withCredentialFile(world, async (credentials) => {
      const printed: unknown[] = [];
      const lines: string[] = [];
      const json = { ...createOutput({ json: true }), result: (value: unknown) => printed.push(value) };
      await profile(json, ['Ana'], { credentials, namespace });
      expect(printed).toMatchObject([
        { namespace, total: 1, facts: [{ text: 'Ana plays the cello.', sources: [{ id: jobId }] }] },
      ]);
      const human = { ...createOutput({ json: false }), line: (text: string) => lines.push(text) };
      await profile(human, [], { credentials, namespace });
      expect(lines).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d {2}Ana plays the cello\.$/)]);
      await profile(human, [], { credentials, namespace: 'nothing here' });
      expect(lines[1]).toBe('Nothing is known in namespace "nothing here".');
    });
  });
});
