import { rememberRequest } from '@memrelay/protocol/memories';
import { chatMessages, memoryText } from './chat-json.ts';
import { type FileContext, fileContext } from './file-context.ts';
import { ImportFileError } from './import-file-error.ts';

/** One memory of an imported file. */
export interface FileMemory {
  /** Its position, for a person: `line 12` or `message D3:4` */
  place: string;
  /** The message's id in the file */
  id?: string;
  /** Its namespace in the export */
  namespace?: string;
  text: string;
  /** Fields that are sealed with the text */
  context?: FileContext;
}

export interface FileContent {
  memories: FileMemory[];
  /** Entries that every relayer would reject, with the reason */
  refused: { place: string; reason: string }[];
}

/** Reads the memories of a text file (one per line) or of chat JSON. Throws `ImportFileError` if there are none. */
export function readMemories(path: string, content: string): FileContent {
  const all = parseFile(path, content);
  if (all.length === 0)
    throw new ImportFileError(
      'import_empty',
      `${path} holds nothing to remember: no line of text, or no JSON entry with a text (text, content, message or body).`,
    );
  return checkedMemories(all);
}

/** Separates the entries that every relayer would reject. */
export function checkedMemories(all: readonly FileMemory[]): FileContent {
  const memories: FileMemory[] = [];
  const refused: FileContent['refused'] = [];
  for (const memory of all) {
    const { place, text, context: { expiresAt } = {} } = memory;
    const checked = rememberRequest.shape.text.safeParse(text);
    if (!checked.success) refused.push({ place, reason: checked.error.issues[0]!.message });
    else if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
      refused.push({ place, reason: 'has expired' });
    else memories.push(memory);
  }
  return { memories, refused };
}

function parseFile(path: string, content: string): FileMemory[] {
  const text = content.replace(/^\ufeff/, '');
  const json = jsonOf(text);
  if (json !== undefined) return memoriesOfJson(json);
  if (/\.json$/i.test(path))
    throw new ImportFileError('import_invalid_json', `${path.split(/[\\/]/).at(-1)} is not valid JSON.`);
  return text
    .split(/\r?\n/)
    .map((line, i) => ({ place: `line ${i + 1}`, text: line.trim() }))
    .filter((memory) => memory.text !== '');
}

/** The value of JSON, or of JSON Lines as a list; undefined for any other text. */
export function jsonOf(content: string): object | undefined {
  const text = content.replace(/^\ufeff/, '');
  return parseJson(text) ?? parseJsonLines(text);
}

/** The memories of parsed chat JSON, or of a plain list of texts. */
export function memoriesOfJson(value: unknown): FileMemory[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value
      .map((text, i) => ({ place: `entry ${i + 1}`, text: text.trim() }))
      .filter((memory) => memory.text !== '');
  return chatMessages(value).map((message, i) => ({
    place: `message ${message.id ?? i + 1}`,
    ...(message.id === undefined ? {} : { id: message.id }),
    text: memoryText(message),
    ...fileContext(message),
  }));
}

/** An object or array; a lone number or word is text. */
function parseJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON Lines: every line that is not empty is an object or array. */
function parseJsonLines(text: string): object[] | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const values = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map(parseJson);
  return values.every((value) => value !== undefined) ? values : undefined;
}
