import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

export interface BundledClient {
  file: string;
  code: string;
  /** Ids of all bundled modules */
  modules: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** The plain client, or another file of the SDK, as one file for a browser, minified, with everything it imports. */
export async function bundleClient(source = 'mem-relay.ts'): Promise<BundledClient> {
  const directory = await mkdtemp(join(tmpdir(), 'sdk-bundle-'));
  const modules = new Set<string>();
  await build({
    entry: { client: fileURLToPath(new URL(`../src/${source}`, import.meta.url)) },
    outDir: directory,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    minify: true,
    dts: false,
    config: false,
    logLevel: 'silent',
    deps: { alwaysBundle: [/./] },
    plugins: [
      {
        name: 'list-modules',
        generateBundle(_options, bundle) {
          for (const chunk of Object.values(bundle))
            if (chunk.type === 'chunk') for (const id of chunk.moduleIds) modules.add(id);
        },
      },
    ],
  });
  const file = join(directory, 'client.js');
  return {
    file,
    code: await readFile(file, 'utf8'),
    modules: [...modules],
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}
