import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The oldest installed Node that the package supports (20 or newer); the current one if there is no other. */
export function oldestNode(): string {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin'];
  const found = [...new Set(folders.map((folder) => join(folder, 'node')))]
    .filter((path) => existsSync(path))
    .map((path) => ({
      path,
      major: Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))![1]),
    }))
    .filter(({ major }) => major >= 20)
    .sort((a, b) => a.major - b.major);
  return found[0]?.path ?? process.execPath;
}
