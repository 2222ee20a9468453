import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceOptions } from '@memrelay/import-files/source';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSource } from '../../src/import/read-source.ts';

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memrelay-source-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function put(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, `${count++}-${name}`);
  await writeFile(path, content);
  return path;
}
const ofJson = async (value: unknown, options: SourceOptions = {}) =>
  readSource(await put('export.json', JSON.stringify(value)), options);
async function texts(value: unknown, options: SourceOptions = {}): Promise<string[]> {
  return (await ofJson(value, options)).file.memories.map(({ text }) => text);
}

const said = (role: string, text: string, parent: string | null, time: number, more: object = {}) => ({
  parent,
  children: [],
  message: { author: { role }, create_time: time, content: { content_type: 'text', parts: [text] }, ...more },
});
/** A question that was edited: the second branch is the one that is shown. */
const chatGpt = [
  {
    title: 'Tea',
    create_time: 1_772_445_600,
    current_node: 'd',
    mapping: {
      root: { parent: null, children: ['a', 'c'], message: null },
      s: said('system', 'Be brief.', 'root', 1, { metadata: { is_visually_hidden_from_conversation: true } }),
      a: said('user', 'An earlier wording', 'root', 1_772_445_600),
      c: said('user', 'I drink tea with lemon', 's', 1_772_445_660),
      d: said('assistant', 'Noted.', 'c', 1_772_445_720),
    },
  },
];
const claude = [
  {
    uuid: 'x',
    name: 'Boats',
    created_at: '2026-03-02T10:00:00Z',
    chat_messages: [
      {
        uuid: '1',
        sender: 'human',
        created_at: '2026-03-02T10:01:30.5Z',
        text: 'ignored',
        content: [{ type: 'text', text: 'My boat is green' }],
      },
      {
        uuid: '2',
        sender: 'assistant',
        created_at: '2026-03-02T10:02:00Z',
        text: 'A fine colour.',
        content: [],
      },
    ],
  },
];

describe('chat exports', () => {
  it('of ChatGPT: the branch that is shown, the person alone unless asked, with dates', async () => {
    expect(await texts(chatGpt)).toEqual(['[2026-03-02 10:01] user: I drink tea with lemon']);
    expect(await texts(chatGpt, { roles: 'assistant' })).toEqual(['[2026-03-02 10:02] assistant: Noted.']);
    expect(await texts(chatGpt, { roles: 'all' })).toHaveLength(2);
    expect((await ofJson(chatGpt)).kind).toBe('ChatGPT export');
    await expect(texts(chatGpt, { roles: 'tool' })).rejects.toThrow(
      /no message of tool: .*user, assistant, or all/,
    );
  });

  it('of Claude: human is the user', async () => {
    expect(await texts(claude)).toEqual(['[2026-03-02 10:01] user: My boat is green']);
    expect(await texts(claude, { roles: 'user, assistant' })).toHaveLength(2);
  });

  it('as a zip, with everything else in it left out', async () => {
    const zip = zipSync({
      'conversations.json': strToU8(JSON.stringify(claude)),
      'users.json': strToU8('[{"uuid":"u","full_name":"Ana","text":"not a memory"}]'),
      'picture.png': new Uint8Array([1, 2, 3]),
    });
    const { kind, file } = await readSource(await put('data.zip', zip), {});
    expect([kind, file.memories.map(({ text }) => text)]).toEqual([
      'Claude export',
      ['[2026-03-02 10:01] user: My boat is green'],
    ]);
    const other = zipSync({ 'a.png': new Uint8Array([1]) });
    await expect(readSource(await put('other.zip', other), {})).rejects.toThrow(
      'holds no conversations.json',
    );
    await expect(readSource(await put('cut.zip', zip.subarray(0, 60)), {})).rejects.toThrow('not a zip file');
  });
});

it.each([
  [
    'mem0',
    { results: [{ id: 'm', memory: 'Likes tea', user_id: 'ana', created_at: '2026-03-02T10:00:00-08:00' }] },
    '[2026-03-02 18:00] Likes tea',
  ],
  [
    'Zep',
    {
      edges: [
        {
          uuid: 'e',
          fact: 'Ana owns a boat',
          valid_at: '2026-01-05T00:00:00Z',
          created_at: '2026-03-02T10:00:00Z',
        },
        { uuid: 'f', fact: 'Ana owns a car', invalid_at: '2026-02-01T00:00:00Z' },
      ],
    },
    '[2026-01-05 00:00] Ana owns a boat',
  ],
  [
    'Letta',
    { agents: [{ name: 'a' }], blocks: [{ id: 'b', label: 'human', value: 'Name: Ana' }] },
    'human: Name: Ana',
  ],
  [
    'Supermemory',
    {
      documents: [
        { id: 'd', content: 'A green boat', containerTags: ['x'], createdAt: '2026-03-02T10:00:00Z' },
      ],
    },
    '[2026-03-02 10:00] A green boat',
  ],
])('exports of %s are read with their dates', async (name, value, text) => {
  const source = await ofJson(value);
  expect(source.kind).toContain(name);
  expect(source.file.memories.map((memory) => memory.text)).toEqual([text]);
});

it('our own export keeps namespaces, and dates that are there already', async () => {
  const line = (text: string, more: object) =>
    JSON.stringify({ id: text, namespace: 'n', created_at: '2026-03-02T10:00:00Z', text, ...more });
  const path = await put('own.jsonl', `${line('one', {})}\n${line('two', { occurred_at: '2025-01-01' })}\n`);
  const { file } = await readSource(path, {});
  expect(file.memories).toMatchObject([
    { namespace: 'n', text: '[2026-03-02 10:00] one' },
    { namespace: 'n', text: '[2025-01-01] two' },
  ]);
});

describe('a folder', () => {
  it('of notes: titles, dates of front matter and names; hidden folders, links and other files are left out', async () => {
    const vault = join(folder, 'vault');
    await mkdir(join(vault, '.obsidian'), { recursive: true });
    await mkdir(join(vault, 'People'));
    await writeFile(join(vault, '.obsidian', 'app.md'), 'settings');
    await writeFile(
      join(vault, 'People', 'Ana.md'),
      '---\ncreated: 2026-03-02\ntags: [x]\n---\nDrinks tea.\n',
    );
    await writeFile(join(vault, '2026-04-05.md'), 'Sailed to [[Ana]].');
    await writeFile(join(vault, 'empty.md'), '\n');
    await writeFile(join(vault, 'picture.png'), 'x');
    const long = 'word '.repeat(400).trim();
    await writeFile(
      join(vault, 'Long.md'),
      `Intro.\n\n# One\n\n${long}\n\`\`\`\n# no heading\n\`\`\`\n## Two ##\n\nEnd.`,
    );
    await symlink(join(vault, 'Long.md'), join(vault, 'Link.md'));
    const { kind, file } = await readSource(vault, {});
    expect(kind).toBe('folder of notes');
    const found = file.memories.map(({ text }) => text.replace(long, '…'));
    expect(found).toEqual([
      '[2026-04-05] 2026-04-05\n\nSailed to [[Ana]].',
      'Long\n\nIntro.',
      'Long › One\n\n…\n```\n# no heading\n```',
      'Long › Two\n\nEnd.',
      '[2026-03-02] People/Ana\n\nDrinks tea.',
    ]);
  });
});

const inUtc = '2026-03-02T10:01:00.000Z';

it.each([
  [
    'ChatGPT',
    [{ ...chatGpt[0], conversation_id: 'talk' }],
    { session: 'talk', speaker: 'user', happenedAt: inUtc },
  ],
  ['Claude', claude, { session: 'x', speaker: 'user', happenedAt: inUtc }],
  [
    'mem0',
    [{ memory: 'Likes tea', run_id: 'run 1', created_at: '2026-03-02T10:01:00Z' }],
    { session: 'run 1', happenedAt: inUtc },
  ],
  [
    'Zep',
    { episodes: [{ content: 'Likes tea', thread_id: 't', name: 'Ana', created_at: '2026-03-02T10:01:00Z' }] },
    { session: 't', speaker: 'Ana', happenedAt: inUtc },
  ],
  [
    'Letta',
    { agents: [{ messages: [{ role: 'user', content: 'I like tea', created_at: '2026-03-02T10:01:00Z' }] }] },
    { speaker: 'user', happenedAt: inUtc },
  ],
  [
    'Supermemory',
    [{ content: 'Likes tea', containerTags: ['a'], conversation_id: 'c', createdAt: '2026-03-02T10:01:00Z' }],
    { session: 'c', happenedAt: inUtc },
  ],
  [
    'memrelay',
    [
      {
        text: 'Likes tea',
        namespace: 'n',
        created_at: '2026-03-02T10:01:00Z',
        session: 's',
        tags: ['drink'],
        metadata: { some_key: 1 },
        expires_at: '2999-01-01T00:00:00Z',
      },
    ],
    {
      session: 's',
      happenedAt: inUtc,
      tags: ['drink'],
      metadata: { some_key: 1 },
      expiresAt: '2999-01-01T00:00:00Z',
    },
  ],
])('fills the context fields that an export of %s knows', async (_name, value, context) => {
  const { file } = await ofJson(value);
  expect(file.memories[0]!.context).toEqual(context);
});

it('leaves out memories of an export that have expired since', async () => {
  const line = { text: 'Meet at nine', namespace: 'n', created_at: '2026-03-02T10:01:00Z' };
  const { file } = await ofJson([
    { ...line, expires_at: '2026-03-03T00:00:00Z' },
    { ...line, text: 'Likes tea' },
  ]);
  expect(file.memories.map(({ text }) => text)).toEqual(['[2026-03-02 10:01] Likes tea']);
  expect(file.refused).toEqual([{ place: 'entry 1', reason: 'has expired' }]);
});
