import { chmod, copyFile, mkdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { replaceFile } from '@memrelay/protocol/secret-file-node';
import { type Host, type HostValue, serverName } from 'memrelay-mcp/hosts/host';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { jsonAt, removeFromJson, setInJson } from './edit-json.ts';
import { hasTomlTable, removeFromToml, setInToml } from './edit-toml.ts';
import { removeFromYaml, setInYaml, yamlAt } from './edit-yaml.ts';

/** The text of a configuration, empty if it does not exist. Throws `ExitError` if it cannot be read as text. */
export async function readConfig(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new ExitError(exitCodes.usage, `${path} cannot be read: ${code}.`, { cause: error });
  }
  const text = bytes.toString('utf8');
  // Bytes that are not UTF-8 would be written back changed.
  if (Buffer.from(text).equals(bytes)) return text;
  throw new ExitError(exitCodes.failed, `${path} was left as it is: it is not UTF-8.`);
}

/** The configuration with this entry. Throws `Error` if it cannot be parsed or safely changed. */
export function withEntry(host: Host, text: string, entry: Readonly<Record<string, HostValue>>): string {
  const path = [...host.servers, serverName];
  if (host.format === 'toml') return setInToml(text, path, entry, host.owned);
  const isYaml = host.format === 'yaml';
  const present = isYaml ? yamlAt(text, path) : jsonAt(text, path);
  const kept = Object.entries(isObject(present) ? present : {}).filter(([key]) => !host.owned.includes(key));
  const next = { ...entry, ...Object.fromEntries(kept) };
  if (isDeepStrictEqual(present, next)) return text;
  return isYaml ? setInYaml(text, path, next) : setInJson(text, path, next);
}

/** The configuration without our entry; the same text when it has none. Throws as `withEntry`. */
export function withoutEntry(host: Host, text: string): string {
  const path = [...host.servers, serverName];
  if (host.format === 'toml') return hasTomlTable(text, path) ? removeFromToml(text, path) : text;
  return host.format === 'yaml' ? removeFromYaml(text, path) : removeFromJson(text, path);
}

/** The content of a configuration with only this entry. */
export function snippet(host: Host, entry: Readonly<Record<string, HostValue>>): string {
  return withEntry(host, '', entry).trimEnd();
}

/**
 * Writes a configuration atomically, after backing up the existing file. A symbolic link is kept. With `secret`, only
 * its owner can read the file afterwards. Returns the path of the backup, if there was a file.
 */
export async function writeConfig(
  path: string,
  text: string,
  { secret }: { secret: boolean },
): Promise<string | undefined> {
  await mkdir(dirname(path), { recursive: true });
  const target = await realpath(path).catch(() => linkedFrom(path));
  const before = await stat(target).catch(() => undefined);
  let backup: string | undefined;
  if (before) {
    backup = `${target}.${new Date().toISOString().replace(/[-:.]/g, '')}.bak`;
    await copyFile(target, backup);
    await chmod(backup, before.mode & 0o777);
  }
  await replaceFile(target, text, secret ? 0o600 : (before?.mode ?? 0o644) & 0o777);
  return backup;
}

/** The target of a link whose target does not exist yet, or the path itself. */
async function linkedFrom(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined);
  if (link === undefined) return path;
  const target = resolve(dirname(path), link);
  await mkdir(dirname(target), { recursive: true });
  return target;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
