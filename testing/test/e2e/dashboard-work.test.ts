import { readFile } from 'node:fs/promises';
import { limits } from '@memrelay/protocol/limits';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { Client as PgClient } from 'pg';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ChatCall } from '../../src/chat-completions.ts';
import { type DashboardPage, openDashboard, openMemories, pageFaults } from '../../src/dashboard-page.ts';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { launchChromium } from '../../src/launch-chromium.ts';
import { type PrivateSystem, startPrivateSystem } from '../../src/private-system.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';

/** Tests the dashboard's pages for facts, questions, export, import and restore in a real browser on a running system. */

let provider: EmbeddingProvider;
let backend: TestBackend;
let system: PrivateSystem;
let browser: Browser;
let tool: MemRelay;
let opened: DashboardPage;
let page: Page;

beforeAll(async () => {
  [provider, backend, browser] = await Promise.all([
    startEmbeddingProvider(),
    createTestBackend(),
    launchChromium(),
  ]);
  const { databaseUrl, redisUrl } = backend;
  system = await startPrivateSystem({
    databaseUrl,
    ...(redisUrl ? { redisUrl } : {}),
    environment: { LLM_API_KEY: 'test', LLM_API_BASE: provider.url },
  });
  tool = MemRelay.fromCredentials(system.credentials);
});
afterAll(async () => {
  tool?.destroy();
  await browser?.close();
  await system?.dispose();
  await Promise.all([provider?.close(), backend?.drop()]);
});
afterEach(async () => {
  await page.context().close();
  expect(opened.problems).toEqual([]);
});

async function visit(path: string, options: BrowserContextOptions = {}): Promise<void> {
  opened = await openDashboard(browser, system, { baseURL: system.urls.dashboard, ...options });
  page = opened.page;
  await openMemories(opened);
  await page.goto(path);
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const panel = (title: string) =>
  page.locator('.panel').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const textsIn = async (namespace: string): Promise<string[]> => {
  const { memories } = await tool.memoriesPage({ namespace, texts: true, limit: 100 });
  return memories.map(({ text }) => text!).sort();
};
const fact = (text: string) => ({ text, importance: 'standard', relation: 'new', memory: null });
/** What a model says about a text */
const facts = (...texts: string[]) => ({ content: { facts: texts.map(fact) } });
const documentOf = (call: ChatCall) => JSON.parse(call.messages[1]!.content);
const choose = (name: string, content: string | Buffer) => {
  const file = { name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) };
  return panel('Import').getByLabel('File').setInputFiles(file);
};
async function ask(): Promise<void> {
  await page.getByRole('textbox', { name: 'Question' }).fill('Who feeds the owls?');
  await page.locator('.ask-actions').getByRole('button', { name: 'Namespace' }).click();
  await page.getByRole('option', { name: 'owls' }).click();
  await button('Ask').click();
}

describe('facts from a text', () => {
  const text = 'Ana: I moved to Porto. I have a cat, Miso. It rained.';

  test('are shown before anything is stored, and only those that stay ticked are saved', async () => {
    await tool.rememberAndWait('Ana lives in Porto.', { namespace: 'people' });
    provider.chat.answer = () => facts('Ana lives in Porto.', 'Ana has a cat named Miso.', 'It rained.');
    await visit('/memories/facts');
    await page.getByRole('textbox', { name: 'Text' }).fill(text);
    await page.getByLabel('Namespace').fill('people');
    await button('Find facts').click();
    await page.getByText('2 facts found').waitFor();
    await page.getByText('1 left out: you already have it').click();
    await page.getByRole('link', { name: 'Ana lives in Porto.' }).waitFor();
    expect(await textsIn('people')).toEqual(['Ana lives in Porto.']);

    await page.getByText('It rained.').click();
    await page.getByLabel('Tags').fill('cats');
    await button('Save 1 memory').click();
    await page.getByText('1 memory stored').waitFor();
    expect(await textsIn('people')).toEqual(['Ana has a cat named Miso.', 'Ana lives in Porto.']);
    await page.getByRole('link', { name: 'Show memories' }).click();
    await page.getByRole('button', { name: 'Ana has a cat named Miso.' }).getByText('cats').waitFor();
  });

  test('replace the memory that they supersede, and are new memories in another namespace', async () => {
    const { jobId } = await tool.rememberAndWait('Bo works at the mill.', { namespace: 'work' });
    provider.chat.answer = (call) => ({
      content: {
        facts: [
          {
            ...fact('Bo works at the bakery.'),
            relation: 'replaces',
            memory: documentOf(call).memories[0].id,
          },
        ],
      },
    });
    await visit('/memories/facts');
    const save = async (change?: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Text' }).fill('Bo left the mill for the bakery.');
      await page.getByLabel('Namespace').fill('work');
      await button('Find facts').click();
      await page.getByRole('link', { name: 'Replaces an earlier memory' }).waitFor();
      if (change !== undefined) {
        await page.getByLabel('Namespace').fill(change);
        await page.getByText('The facts were compared with the memories in work.').waitFor();
      }
      await button('Save 1 memory').click();
      await page.getByText('1 memory stored').waitFor();
      await button('Another text').click();
    };
    await save('elsewhere');
    expect((await tool.memory(jobId)).supersededBy).toBeUndefined();
    await save();
    expect((await tool.memory(jobId)).supersededBy).toEqual(expect.any(String));
    expect(await textsIn('elsewhere')).toEqual(['Bo works at the bakery.']);
  });

  test('explain a failure, an empty text, a text without facts, and a relayer without a chat model', async () => {
    await visit('/memories/facts');
    await button('Find facts').click();
    await page.getByText('Enter a text.').waitFor();
    await page.getByRole('textbox', { name: 'Text' }).fill(text);
    provider.chat.answer = () => ({ content: 'not what was asked for' });
    await button('Find facts').click();
    await page.getByText('Request').waitFor();
    provider.chat.answer = () => facts();
    await button('Try again').click();
    await page.getByRole('heading', { name: 'No fact found' }).waitFor();
    await button('Another text').click();

    // What a relayer without a model answers, with facts of this one
    await page.route('**/api/analyze', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), usage: undefined, mock: true } });
    });
    provider.chat.answer = () => facts('Ana has a dog.');
    await page.getByRole('textbox', { name: 'Text' }).fill(text);
    await button('Find facts').click();
    await page.getByText('No chat model is configured').waitFor();
    // Chromium reports the refused request itself
    expect(opened.problems.splice(0)).toEqual([expect.stringContaining('50')]);
  });
});

describe('asking', () => {
  const hostile = 'Mira feeds the owls. <img src=x onerror="document.title=1"> [1]';

  test('answers with citations that open the memory, by keyboard alone, and shows texts as text', async () => {
    await tool.rememberAndWait(hostile, { namespace: 'owls' });
    provider.chat.answer = (call) => ({
      content: {
        known: true,
        answer: `Mira <b>feeds</b> the owls [${documentOf(call).memories[0].id}]. [7] javascript:alert(1)`,
      },
    });
    await visit('/memories/ask');
    await button('Ask').waitFor();
    const press = (key: string) => page.keyboard.press(key);
    const focusOn = async (selector: string): Promise<void> => {
      for (let presses = 0; presses < 60; presses++) {
        await press('Tab');
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
      }
      throw new Error(`${selector} cannot be reached with the Tab key`);
    };
    await focusOn('textarea');
    await page.keyboard.type('Who feeds the owls?');
    await focusOn('.ask-actions .choice-button');
    await press('Enter');
    await page.getByRole('option', { name: 'owls' }).waitFor();
    await page.keyboard.type('owls');
    await press('Enter');
    await focusOn('.ask-actions .main');
    await press('Enter');
    await page.getByRole('heading', { name: 'From these memories' }).waitFor();
    expect(await page.locator('.answer-text').textContent()).toContain('Mira <b>feeds</b> the owls');
    expect(await page.locator('.answer b, .answer img').count()).toBe(0);
    expect(await page.locator('.citation').count()).toBe(1);
    await focusOn('.citation');
    await press('Enter');
    await page.getByRole('dialog').getByText(hostile).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('can be stopped, which also ends the call to the model', async () => {
    provider.chat.answer = () => 'hang';
    await visit('/memories/ask');
    const hanging = provider.chat.hanging();
    const givenUp = provider.chat.givenUp();
    await ask();
    await hanging;
    await button('Stop').click();
    await page.getByText('This is not the whole answer.').waitFor();
    await givenUp;
  });

  test('says when the memories do not contain the answer, and when no chat model is configured', async () => {
    provider.chat.answer = () => ({ content: { known: false, answer: 'They do not say.' } });
    await visit('/memories/ask');
    await ask();
    await page.getByText('do not contain the answer').waitFor();

    await page.route('**/api/ask', async (route) => {
      const response = await route.fetch();
      const body = (await response.text())
        .replace(/"known":false/, '"known":true')
        .replace(/"usage":\{[^}]*\}/, '"mock":true');
      await route.fulfill({ response, body });
    });
    await button('Ask').click();
    await page.getByText('No chat model is configured').waitFor();
  });
});

describe('export and import', () => {
  const passphrase = 'correct horse battery staple';
  const cellar = ['The red wine is from 2019.', 'The shelf needs a new board.', 'The light is on the left.'];

  async function exportFile(format: string, secret?: string): Promise<{ name: string; content: Buffer }> {
    await page.getByLabel(format).check();
    await panel('Export').getByRole('button', { name: 'Which memories' }).click();
    await page.getByRole('option', { name: 'cellar' }).click();
    if (secret !== undefined) {
      await page.getByLabel('Passphrase', { exact: true }).fill(secret);
      await page.getByLabel('Repeat the passphrase').fill(secret);
    }
    const download = page.waitForEvent('download');
    await panel('Export').getByRole('button', { name: 'Export', exact: true }).click();
    const saved = await download;
    await page.getByText('3 memories exported').waitFor();
    return { name: saved.suggestedFilename(), content: await readFile(await saved.path()) };
  }

  test('a bundle brings memories back, with a dry run before anything is stored', async () => {
    await tool.rememberBulkAndWait(cellar.map((text) => ({ text, namespace: 'cellar' })));
    await visit('/memories/transfer');
    await page.getByLabel('Passphrase', { exact: true }).fill('short');
    await panel('Export').getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('at least 12 characters').waitFor();
    const { name, content } = await exportFile('Encrypted bundle', passphrase);
    expect(name).toMatch(/^memrelay-\d{4}-\d\d-\d\d\.mrb$/);
    expect(content.toString('latin1')).not.toContain('wine');
    await tool.forget({ namespace: 'cellar' });

    const chosen = panel('Import');
    await choose(name, content);
    await chosen.getByLabel('Passphrase').fill('something quite different');
    await button('Open the bundle').click();
    await page.getByText('The passphrase is wrong').waitFor();
    await chosen.getByLabel('Passphrase').fill(passphrase);
    await button('Open the bundle').click();
    await page.getByText('3 memories would be imported').waitFor();
    expect(await textsIn('cellar')).toEqual([]);
    await button('Import 3 memories').click();
    await chosen.getByText('3 memories stored').waitFor();
    expect(await textsIn('cellar')).toEqual([...cellar].sort());

    await choose(name, content.subarray(0, -40));
    await chosen.getByLabel('Passphrase').fill(passphrase);
    await button('Open the bundle').click();
    await page.getByText('The bundle is incomplete').waitFor();
  });

  test('an open export is readable, and can be imported into another namespace', async () => {
    await visit('/memories/transfer');
    const markdown = await exportFile('Markdown');
    expect(markdown.content.toString()).toContain('The red wine is from 2019.');
    const { name, content } = await exportFile('JSON Lines');
    const lines = content.toString().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).text).sort()).toEqual([...cellar].sort());

    await choose(name, content);
    await page.getByText('memrelay export').waitFor();
    await panel('Import').getByText('cellar', { exact: true }).waitFor();
    await panel('Import').getByLabel('Namespace', { exact: true }).fill('copy');
    await button('Import 3 memories').click();
    await page.getByText('3 memories stored').waitFor();
    // The import keeps the day on which a memory was stored in front of its text
    for (const text of cellar) expect((await textsIn('copy')).join('\n')).toContain(text);
  });

  test('a file that cannot be imported is explained, and entries that no relayer accepts are listed', async () => {
    await visit('/memories/transfer');
    await choose('broken.json', '{"messages": [');
    await page.getByText('not valid JSON').waitFor();
    await choose('picture.txt', Buffer.from([0xff, 0xd8, 0xff, 0x00]));
    await page.getByText('not text that can be read').waitFor();
    await choose('empty.txt', '\n\n');
    await page.getByText('There is nothing to remember').waitFor();
    await choose('notes.txt', `A good line.\n${'x'.repeat(limits.textBytes + 1)}`);
    await page.getByText('1 memory would be imported').waitFor();
    await page.getByText('1 entry cannot be stored:').waitFor();
    await panel('Import').getByText('line 2').waitFor();
  });

  test('an import that is stopped continues with the same file, and stores nothing twice', async () => {
    const many = Array.from({ length: 45 }, (_, i) => `Box ${i} is in row ${i % 7}.`);
    await visit('/memories/transfer');
    await choose('boxes.txt', many.join('\n'));
    await panel('Import').getByLabel('Namespace', { exact: true }).fill('boxes');
    let chunks = 0; // The first arrives, the others wait
    await page.route('**/api/remember/bulk', async (route) => {
      if (++chunks === 1) await route.continue();
    });
    await button('Import 45 memories').click();
    await page.getByText('20 of 45 stored').waitFor();
    await button('Stop').click();
    await page.getByText('Stopped. 20 of 45 were accepted').waitFor();
    await page.unrouteAll();
    await page.reload();
    await choose('boxes.txt', many.join('\n'));
    await panel('Import').getByLabel('Namespace', { exact: true }).fill('boxes');
    await button('Import 45 memories').click();
    await page.getByText('45 memories stored').waitFor();
    expect(await textsIn('boxes')).toEqual([...many].sort());
  });
});

test('refused sign-in links are explained in the language of the reader', async () => {
  opened = await openDashboard(browser, system, { baseURL: system.urls.dashboard, locale: 'de-DE' });
  page = opened.page;
  await page.goto('/connect/mcp#cut-off');
  await page.getByRole('heading', { name: 'Dieser Link ist unvollständig' }).waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  expect(await pageFaults(page)).toEqual([]);
});

test.each([
  ['light', { width: 1280, height: 800 }],
  ['dark', { width: 1280, height: 800 }],
  ['light', { width: 390, height: 780 }],
] as const)('the pages are accessible and fit the width: %s, %o', async (colorScheme, viewport) => {
  provider.chat.answer = (call) =>
    documentOf(call).question === undefined
      ? facts('Cem plays the oud.', 'Cem has a sister.')
      : { content: { known: true, answer: `Mira does [${documentOf(call).memories[0].id}].` } };
  await tool.rememberAndWait('Mira feeds the owls.', { namespace: 'owls' });
  await visit('/memories/facts', { colorScheme, viewport, reducedMotion: 'reduce' });
  await page.getByRole('textbox', { name: 'Text' }).fill('Cem plays the oud.');
  expect(await pageFaults(page)).toEqual([]);
  await button('Find facts').click();
  await page.getByText('2 facts found').waitFor();
  expect(await pageFaults(page)).toEqual([]);
  await page.getByRole('navigation').getByRole('link', { name: 'Ask' }).click();
  await ask();
  await page.locator('.answer-text').waitFor();
  expect(await pageFaults(page)).toEqual([]);
  await page.getByRole('navigation').getByRole('link', { name: 'Export, import' }).click();
  await choose('notes.txt', 'One line.\nAnother one.');
  await page.getByText('2 memories would be imported').waitFor();
  expect(await pageFaults(page)).toEqual([]);
});

test('restore shows its progress, and makes lost memories searchable again', async () => {
  const texts = Array.from({ length: 24 }, (_, i) => `Jar ${i} has seeds of plant ${i}.`);
  await tool.rememberBulkAndWait(texts.map((text) => ({ text, namespace: 'seeds' })));
  await visit('/memories/transfer');
  const restore = panel('Restore from the chain');
  await restore.getByLabel('Namespace to restore').fill('seeds');
  await restore.getByRole('button', { name: 'Restore' }).click();
  await restore.getByText('Nothing was missing').waitFor();

  const database = new PgClient({ connectionString: backend.databaseUrl });
  await database.connect();
  await database.query(
    'TRUNCATE memory, memory_vector, memory_job, known_text, chain_look, chain_blob, chain_envelope CASCADE',
  );
  await database.end();
  let requests = 0;
  const second = Promise.withResolvers<void>();
  await page.route('**/api/restore', async (route) => {
    if (++requests === 2) await second.promise;
    await route.continue();
  });
  await restore.getByRole('button', { name: 'Restore' }).click();
  await restore.getByRole('progressbar').waitFor();
  await restore.getByText('20 of 24 memories').waitFor();
  second.resolve();
  await restore.getByText('24 memories restored').waitFor();
  expect(await textsIn('seeds')).toEqual([...texts].sort());
});
