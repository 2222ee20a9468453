import { memoryText } from './chat-json.ts';
import { type FileContext, fileContext } from './file-context.ts';
import { ImportFileError } from './import-file-error.ts';
import { type ExportedEntry, knownExport } from './known-exports.ts';
import { isNote, noteEntries } from './notes.ts';
import type { ArchiveFile } from './read-archive.ts';
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

/** The memories of a text, of JSON or of JSON Lines; `path` names it. Throws `ImportFileError`. */
export function textSource(path: string, content: string, options: SourceOptions): Source {
  const known = knownExport(jsonOf(content));
  if (known) return sourceOf(path, known.name, known.entries, options, known.usualRoles);
  if (/\.(?:md|markdown)$/i.test(path))
    return sourceOf(path, 'note', noteEntries(path.split(/[\\/]/).at(-1)!, content), options);
  return { kind: 'file', identity: content, file: readMemories(path, content) };
}

/** The memories of the files of a zip (`archiveFiles`). Throws `ImportFileError`. */
export function archiveSource(path: string, files: readonly ArchiveFile[], options: SourceOptions): Source {
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

/** The memories of these entries. Throws `ImportFileError` if none is left. */
export function sourceOf(
  path: string,
  kind: string,
  entries: readonly ExportedEntry[],
  { roles }: SourceOptions,
  usualRoles?: readonly string[],
): Source {
  const wanted = roles === undefined ? usualRoles : rolesOf(roles);
  const chosen = entries.filter(({ role }) => !role || !wanted || wanted.includes(role));
  if (chosen.length === 0)
    throw entries.length === 0
      ? new ImportFileError('import_empty', `${path} holds nothing to remember.`)
      : new ImportFileError(
          'import_no_messages',
          `${path} has no message of ${wanted?.join(' or ')}: choose with --roles (${[...new Set(entries.map(({ role }) => role))].join(', ')}, or all).`,
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
    throw new ImportFileError(
      'import_invalid_roles',
      '--roles takes user, assistant and others, separated by commas, or all.',
    );
  return names.includes('all') ? undefined : names;
}
