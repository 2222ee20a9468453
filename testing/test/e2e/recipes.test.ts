import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@memrelay/process/compile-cache';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { memrelayEntry } from '../../src/memrelay-command.ts';
import { type PrivateSystem, startPrivateSystem } from '../../src/private-system.ts';
import { outputPattern, readRecipe, type ShownCommand } from '../../src/recipe-page.ts';

/** Runs the recipes as a reader would: saves their programs, runs their commands in order and compares what is printed. */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const timeout = 120_000;
let system: PrivateSystem;
let provider: EmbeddingProvider;
let folder: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  [system, provider, folder] = await Promise.all([
    startPrivateSystem(),
    startEmbeddingProvider(),
    mkdtemp(join(tmpdir(), 'memrelay-recipes-')),
  ]);
  const bin = join(folder, 'bin');
  await mkdir(bin);
  // `npx memrelay` of a clone builds the command first; here the sources run
  const npx = `#!/bin/sh\n[ "$1" = memrelay ] || exit 2\nshift\nexec "${process.execPath}" "${memrelayEntry}" "$@"\n`;
  await writeFile(join(bin, 'npx'), npx);
  await chmod(join(bin, 'npx'), 0o755);
  // Names of packages resolve as in the root of the clone
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  environment = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: system.dataDir,
    MEM_DATA_DIR: system.dataDir,
    LLM_API_BASE: provider.url,
    ...compileCache(),
  };
});
afterAll(async () => {
  await Promise.all([system?.dispose(), provider?.close()]);
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** What a reader sees: the output, or the error if the command fails. */
function run(command: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: environment };
    execFile('/bin/sh', ['-c', command], options, (error, stdout, stderr) => {
      const lines = [stdout, error === null ? '' : stderr].join('\n').split('\n');
      resolve(
        lines
          .filter((line) => !isProgress(line))
          .join('\n')
          .trim(),
      );
    });
  });
}

/** Lines that a terminal replaces by others while a command works. */
const isProgress = (line: string): boolean => /^(?:Encrypting|Importing|Signing)\b.*…$|^[█▒░]/.test(line);

/** Commands that only read are repeated until they see what happens in the background: captures, revocations. */
const onlyReads = /npx memrelay (?:recall|list|namespaces|delegate list|hook prompt)/;

async function follow({ command, output }: ShownCommand): Promise<void> {
  const pattern = outputPattern(output);
  if (onlyReads.test(command)) await expect.poll(() => run(command), { timeout }).toMatch(pattern);
  else expect(await run(command)).toMatch(pattern);
}

async function followPage(name: string): Promise<void> {
  const { files, commands } = await readRecipe(`docs/recipes/${name}.md`);
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
  expect(commands.length).toBeGreaterThan(1);
  for (const command of commands) await follow(command);
}

describe('the recipes print what their pages show', () => {
  test('a chat that remembers', () => followPage('chat-that-remembers'));

  test('a coding agent, whose tools see what its hooks have stored', async () => {
    await followPage('coding-agent');
    // As after a sign-in, which the tools wait for
    const signedIn = join(system.dataDir, '.mem', 'credentials.json');
    await mkdir(dirname(signedIn), { recursive: true });
    await copyFile(system.credentialsPath, signedIn);
    const client = new Client({ name: 'recipe', version: '1' });
    const args = [memrelayEntry, 'mcp', 'serve', '--project'];
    const env = environment as Record<string, string>;
    const cwd = join(folder, 'shop');
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd }));
    const query = { query: 'When do we deploy?' };
    const { structuredContent } = await client.callTool({ name: 'mem_recall', arguments: query });
    expect(structuredContent).toMatchObject({ memories: [{ text: 'We deploy the shop on Fridays.' }] });
    expect(JSON.stringify(structuredContent)).not.toContain('hunter2');
    await client.close();
  });

  test('shared team memory, with a read-only key that is revoked', () => followPage('shared-team-memory'));

  test('private manual mode, without a text or a question on the relayer', async () => {
    await followPage('private-manual-mode');
    expect(provider.texts).toContain('where is the nest of the heron?');
    expect(system.logs()).not.toContain('heron');
  });

  test('moving from mem0', () => followPage('moving-from-mem0'));
});

test('the skill for programs with the SDK: its program stores, finds and forgets', async () => {
  const { files, commands } = await readRecipe('integrations/sdk-skill/skills/memrelay-sdk/SKILL.md');
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
  for (const command of commands) await follow(command);
});

test('an output that a page does not show is detected', () => {
  const shown = 'Stored in 571 ms. Id d3d6710a-2f90-4452-a68b-71151bd0bce2\n…\nMay  read';
  const printed = 'Stored in 1.2 s. Id 00000000-2f90-4452-a68b-71151bd0bce2\nmore\nMay  read';
  expect(printed).toMatch(outputPattern(shown));
  for (const other of [`${printed}, write`, printed.replace('Stored', 'Failed'), ''])
    expect(other).not.toMatch(outputPattern(shown));
});
