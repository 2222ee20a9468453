import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of the repository, with a slash at the end. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const repositoryUrl = 'https://github.com/memrelay/memrelay';

/** Reads a text file by its path from the root. */
export const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

export const version = (JSON.parse(read('package.json')) as { version: string }).version;
