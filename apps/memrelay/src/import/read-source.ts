import { open, readFile, stat } from 'node:fs/promises';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { readText } from '../terminal/read-text.ts';
import { memoryText } from './chat-json.ts';
import { type FileContext, fileContext } from './file-context.ts';
import { type ExportedEntry, knownExport } from './known-exports.ts';
import { type ArchiveFile, archiveFiles, isArchive } from './read-archive.ts';
import { folderEntries, isNote, noteEntries } from './read-folder.ts';
import { checkedMemories, type FileContent, jsonOf, readMemories } from './read-memories.ts';

/** What an import reads: a file, a folder, or an archive. */
export interface Source {
  /** The detected format, for a person */
  kind: string;
  /** Identifies the import: the same source with the same choices is the same import */
  identity: string;
  file: FileContent;
}

export interface SourceOptions {
  /** `user,assistant`, or `all`: which speakers of a chat export count */
  roles?: string | undefined;
}

/** The memories of a text, JSON, zip or folder. Throws `ExitError` when there are none, or when it cannot be read. */
export async function readSource(path: string, options: SourceOptions): Promise<Source> {
  if ((await stat(path)).isDirectory())
    return sourceOf(path, 'folder of notes', await folderEntries(path), options);
  const bytes = await firstBytes(path);
  if (isArchive(bytes)) return ofArchive(path, archiveFiles(path, await readFile(path)), options);
  const content = await readText(path);
  const known = knownExport(jsonOf(content));
  if (known) return sourceOf(path, known.name, known.entries, options, known.usualRoles);
  if (/\.(?:md|markdown)$/i.test(path))
    return sourceOf(path, 'note', noteEntries(path.split(/[\\/]/).at(-1)!, content), options);
  return { kind: 'file', identity: content, file: readMemories(path, content) };
}

async function ofArchive(
  path: string,
  files: readonly ArchiveFile[],
  options: SourceOptions,
): Promise<Source> {
  const names = new Set<string>();
  const entries: ExportedEntry[] = [];
  let roles: readonly string[] | undefined;
  for (const file of files) {
    const known = isNote(file.path) ? undefined : knownExport(jsonOf(file.text));
    if (known) {
      names.add(known.name);
      roles ??= known.usualRoles;
    }
    entries.push(...(known?.entries ?? (isNote(file.path) ? noteEntries(file.path, file.text) : [])));
  }
  return sourceOf(path, [...names].join(', ') || 'archive of notes', entries, options, roles);
}

function sourceOf(
  path: string,
  kind: string,
  entries: readonly ExportedEntry[],
  { roles }: SourceOptions,
  usualRoles?: readonly string[],
): Source {
  const wanted = roles === undefined ? usualRoles : rolesOf(roles);
  const chosen = entries.filter(({ role }) => !role || !wanted || wanted.includes(role));
  if (chosen.length === 0)
    throw new ExitError(
      exitCodes.usage,
      entries.length === 0
        ? `${path} holds nothing to remember.`
        : `${path} has no message of ${wanted?.join(' or ')}: choose with --roles (${[...new Set(entries.map(({ role }) => role))].join(', ')}, or all).`,
    );
  const file = checkedMemories(
    chosen.map((entry, i) => ({
      place: entry.id ?? `entry ${i + 1}`,
      ...(entry.id === undefined ? {} : { id: entry.id }),
      ...(entry.namespace === undefined ? {} : { namespace: entry.namespace }),
      text: textOf(entry),
      ...contextOf(entry),
    })),
  );
  return { kind, identity: JSON.stringify(file.memories), file };
}

/** The fields of an entry; of one of ours, what it had in addition to its date. */
function contextOf({ context, session, speaker, saidBy, date }: ExportedEntry): { context?: FileContext } {
  const read = fileContext({ session, speaker: speaker ?? saidBy, date });
  return context === undefined ? read : { context: { ...read.context, ...context } };
}

/** Adds the date before the text, unless the text already begins with it. */
function textOf({ text, speaker, date }: ExportedEntry): string {
  const message = { text, ...(speaker ? { speaker } : {}), ...(date ? { date } : {}) };
  return date && text.startsWith(`[${date}] `) ? text : memoryText(message);
}

function rolesOf(text: string): readonly string[] | undefined {
  const names = text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  if (names.length === 0)
    throw new ExitError(
      exitCodes.usage,
      '--roles takes user, assistant and others, separated by commas, or all.',
    );
  return names.includes('all') ? undefined : names;
}

async function firstBytes(path: string): Promise<Uint8Array> {
  // Opening a pipe waits for its writer
  if (!(await stat(path)).isFile()) return new Uint8Array(0);
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
