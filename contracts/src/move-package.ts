import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dumpMovePackage, MovePackageFetcher, testMovePackage } from '@zktx.io/sui-move-builder/full';

/** Paths inside a Move package and their contents. */
export type MoveFiles = Record<string, string>;

export interface CompiledPackage {
  /** Bytecode of each module */
  modules: Uint8Array[];
  /** Blake2b-256 over modules and dependencies, hex, as required by the chain's upgrade rules */
  digest: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** The package's own sources, without its tests. */
export function packageFiles(): MoveFiles {
  return filesOf(root, ['sources']);
}

/** The hand-written Move tests. */
export function testFiles(): MoveFiles {
  const { 'Move.toml': _manifest, ...tests } = filesOf(root, ['tests']);
  return tests;
}

/** Compiles as `sui move build` does. Throws with the compiler's output, including warnings. */
export async function compilePackage(files: MoveFiles = packageFiles()): Promise<CompiledPackage> {
  const result = await dumpMovePackage({ files, fetcher: new StubFramework() });
  if ('error' in result) throw new Error(result.error);
  if (result.warnings) throw new Error(result.warnings);
  return {
    modules: result.modules.map((module) => Buffer.from(module, 'base64')),
    digest: Buffer.from(result.digest).toString('hex'),
  };
}

/** Runs every `#[test]` on the Move VM. Returns the runner's report; throws when the package does not compile. */
export async function runMoveTests(files: MoveFiles): Promise<{ passed: boolean; report: string }> {
  const result = await testMovePackage({ files, fetcher: new StubFramework(), silenceWarnings: true });
  if ('error' in result) throw new Error(result.error);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with the escape character
  return { passed: result.passed, report: result.output.replace(/\u001b\[[0-9;]*m/g, '') };
}

/** Provides our own signatures of the framework, so that a build needs no network. */
class StubFramework extends MovePackageFetcher {
  override async fetch(_url: string, _revision: string, subdir = ''): Promise<MoveFiles> {
    return filesOf(join(root, 'framework', subdir.slice(subdir.lastIndexOf('/') + 1)), ['sources']);
  }

  override async fetchFile(): Promise<null> {
    return null;
  }

  /** The builder requires a commit; the stubs have none. */
  override getResolvedSha(): string {
    return '0'.repeat(40);
  }
}

function filesOf(directory: string, folders: readonly string[]): MoveFiles {
  const files: MoveFiles = { 'Move.toml': readFileSync(join(directory, 'Move.toml'), 'utf8') };
  for (const folder of folders) {
    for (const name of readdirSync(join(directory, folder))) {
      files[`${folder}/${name}`] = readFileSync(join(directory, folder, name), 'utf8');
    }
  }
  return files;
}
