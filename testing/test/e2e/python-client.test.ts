import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { exportBundle } from '@memrelay/sdk/bundle/export-bundle';
import { openBundle } from '@memrelay/sdk/bundle/open-bundle';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { type PrivateSystem, startPrivateSystem } from '../../src/private-system.ts';
import { pythonEnvironment } from '../../src/python-environment.ts';
import { type CommandError, runCommand } from '../../src/services/run-command.mjs';

/** Runs the tests of the Python client (`clients/python/tests`) against a system as `memrelay up` starts it. */

const folder = fileURLToPath(new URL('../../../clients/python', import.meta.url));
/** Exact versions: another formatter or type checker would find other mistakes. The stranger test tries the newest. */
const packages = [
  'anyio==4.16.0',
  'cryptography==50.0.2',
  'hatchling==1.33.0',
  'httpx==0.28.1',
  'jsonschema==4.26.0',
  'mypy==2.4.1',
  'langchain-core==1.7.2',
  'langgraph==1.2.22',
  'langgraph-checkpoint==4.3.2',
  'openai-agents==0.24.0',
  'pydantic==2.14.3',
  'pydantic-ai-slim==2.68.0',
  'pytest==9.2.0',
  'ruff==0.17.6',
  'trio==0.35.0',
  'types-jsonschema==4.26.0.20261006',
  'typing-extensions==4.16.0',
];
const python = await pythonEnvironment('python-client', packages);
const bin = 'bin' in python ? python.bin : '';
const reason = 'missing' in python ? ` (not tested here: ${python.missing})` : '';
const passphrase = 'correct horse battery staple';

let system: PrivateSystem;
let provider: EmbeddingProvider;

/** Runs a tool of the environment and returns its output. Fails with the end of the output. */
async function run(
  tool: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  const env = {
    ...process.env,
    PYTHONPATH: join(folder, 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
    ...environment,
  };
  return runCommand(join(bin, tool), args, { cwd: folder, env }).catch((error: CommandError) => {
    throw new Error(`${tool} ${args.join(' ')}\n${error.output?.slice(-4_000) ?? error.message}`);
  });
}

// mypy reads the frameworks' types first, which takes minutes on a busy machine
describe.skipIf(!bin)(`the Python client${reason}`, { timeout: 600_000 }, () => {
  beforeAll(async () => {
    provider = await startEmbeddingProvider();
    provider.chat.answer = ({ response_format: { json_schema: asked }, messages }) => {
      if (asked.name.includes('fact'))
        return {
          content: {
            facts: [{ text: 'Ana keeps bees.', importance: 'standard', relation: 'new', memory: null }],
          },
        };
      const { memories } = JSON.parse(messages[1]!.content) as { memories: { id: string; text: string }[] };
      const { id, text } = memories.find((each) => each.text === 'Ana keeps bees.') ?? memories[0]!;
      return { content: { known: true, answer: `${text} [${id}]` } };
    };
    system = await startPrivateSystem({
      environment: { LLM_API_KEY: 'test', LLM_API_BASE: provider.url },
    });
  });
  afterAll(async () => {
    await system?.dispose();
    await provider?.close();
  });

  test('passes its own tests against a running system, and exchanges bundles with the TypeScript client', async () => {
    const memory = MemRelay.fromCredentials(JSON.parse(readFileSync(system.credentialsPath, 'utf8')));
    await memory.rememberAndWait('Written by TypeScript.', { namespace: 'typescript', tags: ['tea'] });
    const parts: Uint8Array[] = [];
    const options = { passphrase, scryptLogN: 10, primitives: nodePrimitives, namespace: 'typescript' };
    for await (const part of exportBundle(memory, options)) parts.push(part);
    memory.destroy();
    const [theirs, ours] = ['typescript.mrb', 'python.mrb'].map((name) => join(system.dataDir, name));
    await writeFile(theirs!, Buffer.concat(parts));

    const printed = await run('pytest', ['-p', 'no:cacheprovider', '-ra'], {
      MEMRELAY_TEST_CREDENTIALS: system.credentialsPath,
      MEMRELAY_TEST_BUNDLE: theirs,
      MEMRELAY_TEST_BUNDLE_OUT: ours,
    });
    expect(printed).toMatch(/^\d{3,} passed in /m);

    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield readFileSync(ours!);
    }
    const bundle = await openBundle(bytes, passphrase, nodePrimitives);
    expect(bundle).toMatchObject({ memories: 1, failed: 0, start: { kind: 'start' } });
  });

  test('has types that mypy accepts, and code as ruff formats it', async () => {
    expect(existsSync(join(folder, 'src/memrelay/py.typed'))).toBe(true);
    await run('ruff', ['format', '--check', '--no-cache', '.']);
    await run('ruff', ['check', '--no-cache', '.']);
    await run('mypy', ['--cache-dir', join(bin, '..', 'mypy')]);
  });
});
