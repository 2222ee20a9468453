import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pythonEnvironment } from '@memrelay/dev-env/python-environment';
import { root } from '../base/repository.ts';

const script = fileURLToPath(new URL('./python-reference.py', import.meta.url));
const packages = ['griffelib==2.4.1'];

/**
 * The reference of the Python package as Markdown, or why there is none: this machine has no Python, or the package that reads
 * the docstrings cannot be fetched.
 */
export async function pythonReference(): Promise<{ markdown: string } | { missing: string }> {
  const python = await pythonEnvironment('site-python', packages);
  if ('missing' in python) return python;
  const command = join(python.bin, process.platform === 'win32' ? 'python.exe' : 'python');
  const args = [script, join(root, 'clients/python/src')];
  const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 16 * 2 ** 20 });
  return { markdown: stdout };
}
