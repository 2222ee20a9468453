import { parse as parseYaml } from 'yaml';
import { dateOf, isObject } from './chat-message.ts';
import type { ExportedEntry } from './known-exports.ts';

/** A note longer than this is split at its headings, characters. */
const splitAt = 1_500;

export const isNote = (path: string): boolean => /\.(?:md|markdown|txt)$/i.test(path);

/**
 * Splits a note into memories: its text under its title, split at headings if it is long. The date comes from its front
 * matter, or from its name (daily notes).
 */
export function noteEntries(path: string, content: string): ExportedEntry[] {
  const { fields, text } = splitFrontMatter(content.replace(/^\ufeff/, ''));
  const title = path.replace(/\.[^./]+$/, '');
  const date = dateIn(fields) ?? /(?:^|\/)(\d{4}-\d\d-\d\d)(?:\D|$)/.exec(title)?.[1];
  return sections(text.trim()).map(({ heading, body }, i) => ({
    id: i === 0 ? path : `${path}#${heading}`,
    date,
    text: [[title, heading].filter((part) => part !== '').join(' › '), body].join('\n\n'),
  }));
}

function sections(text: string): { heading: string; body: string }[] {
  if (text === '') return [];
  if (text.length <= splitAt) return [{ heading: '', body: text }];
  // In a fenced block `#` begins a comment
  let fenced = false;
  const found: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }];
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const heading = fenced ? undefined : /^#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1];
    if (heading === undefined) found.at(-1)!.lines.push(line);
    else found.push({ heading, lines: [] });
  }
  return found
    .map(({ heading, lines }) => ({ heading, body: lines.join('\n').trim() }))
    .filter(({ body }) => body !== '');
}

function splitFrontMatter(content: string): { fields: Record<string, unknown>; text: string } {
  const match = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(content);
  if (!match) return { fields: {}, text: content };
  try {
    const fields: unknown = parseYaml(match[1]!);
    if (isObject(fields)) return { fields, text: content.slice(match[0].length) };
  } catch {
    // Two rules around text are no front matter
  }
  return { fields: {}, text: content };
}

function dateIn(fields: Record<string, unknown>): string | undefined {
  const { created, ...rest } = fields;
  const value = dateOf({ date: created, ...rest });
  return value?.replace(/T(\d\d:\d\d).*$/, ' $1');
}
