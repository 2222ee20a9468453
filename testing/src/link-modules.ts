import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** Links every package in `node_modules` for a copy of the repository, and the workspaces to those of the copy: their links are relative. */
export function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const isLink = lstatSync(source).isSymbolicLink();
    if (isLink && !isAbsolute(readlinkSync(source))) symlinkSync(readlinkSync(source), join(to, name), 'dir');
    else if (name.startsWith('@')) linkModules(source, join(to, name));
    else symlinkSync(source, join(to, name), 'dir');
  }
}
