import { execFile } from 'node:child_process';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelFilesError } from './build-model.ts';
import { filesBelow } from './file-tree.ts';

/** The registry does not have the package, or cannot be reached. */
export class FetchError extends Error {
  override name = 'FetchError';
  readonly kind: 'missing' | 'unreachable';
  constructor(kind: FetchError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface FetchOptions {
  /** An empty folder for the tarball */
  folder: string;
  environment: NodeJS.ProcessEnv;
  /** Bytes so far */
  onProgress: (bytes: number) => void;
  signal: AbortSignal;
}

const pollMs = 200;

/**
 * Downloads a package with the user's npm, which knows their registry, proxy and certificates. Runs no scripts. Returns
 * the path of the tarball. Throws `FetchError`.
 */
export async function fetchPackage(spec: string, options: FetchOptions): Promise<string> {
  const { folder, environment, onProgress, signal } = options;
  const cache = join(folder, 'cache');
  await mkdir(cache, { recursive: true });
  const args = [
    'pack',
    spec,
    '--ignore-scripts',
    '--loglevel=error',
    '--pack-destination',
    folder,
    '--cache',
    cache,
  ];
  // Under npx, the path of npm's own script
  const script = environment.npm_execpath;
  const [command, given, shell] = script?.endsWith('.js')
    ? ([process.execPath, [script, ...args], false] as const)
    : (['npm', args, process.platform === 'win32'] as const);
  // npm reports no progress of a download, but the files it writes grow
  const polling = setInterval(() => {
    folderBytes(folder).then(onProgress, () => undefined);
  }, pollMs);
  try {
    await new Promise<void>((resolve, reject) => {
      execFile(command, given, { cwd: folder, env: environment, shell, signal }, (error, stdout, stderr) =>
        error ? reject(failureOf(error, `${stdout}${stderr}`, spec)) : resolve(),
      );
    });
  } finally {
    clearInterval(polling);
  }
  signal.throwIfAborted();
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (!tarball) throw new ModelFilesError(`npm did not write ${spec}`);
  return join(folder, tarball);
}

function failureOf(error: Error, output: string, spec: string): Error {
  if (error.name === 'AbortError') return error;
  if ((error as NodeJS.ErrnoException).code === 'ENOENT')
    return new FetchError('unreachable', 'npm, which downloads the package, is not installed');
  if (/E404|ETARGET|404 Not Found/.test(output + error.message))
    return new FetchError('missing', `${spec} is not in the package registry`);
  return new FetchError('unreachable', `npm could not download ${spec}`);
}

async function folderBytes(folder: string): Promise<number> {
  const sizes = (await filesBelow(folder)).map(
    async (path) => (await stat(path).catch(() => ({ size: 0 }))).size,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
