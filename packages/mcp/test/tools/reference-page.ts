import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../../../docs/tools-reference.md', import.meta.url), 'utf8');

/** A tool as described in docs/tools-reference.md. */
export function referenceOf(tool: string): string {
  return page.split(/^## /m).find((section) => section.startsWith(`${tool}\n`)) ?? '';
}

export interface Example {
  name: string;
  arguments: Record<string, unknown>;
  /** The text of the result, without the parts that differ each time */
  text: string;
}

/** The calls of the page with their results, in order. */
export function examples(): Example[] {
  return [...page.matchAll(/^```json\n(.*?)```\n+```text\n(.*?)\n```$/gms)].map(([, call, text]) => ({
    ...JSON.parse(call!),
    text: withPlaceholders(text!),
  }));
}

/** Replaces ids, keys, times, scores, sizes and addresses, which differ in each run, by placeholders. */
export function withPlaceholders(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/blob [A-Za-z0-9_-]{43}/g, 'blob BLOB')
    .replace(/0x[0-9a-f]+…?/g, 'OBJECT')
    .replace(/^Key [0-9a-f]+…?/gm, 'Key KEY')
    .replace(/cursor "[^"]+"/g, 'cursor CURSOR')
    .replace(/http:[^"]+/g, 'URL')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
    .replace(/score \d\.\d{3}/g, 'SCORE')
    .replace(/\d+ bytes/g, 'SIZE');
}
