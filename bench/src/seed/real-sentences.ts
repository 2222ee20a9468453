import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** One sentence in this number is used as a question and not stored. */
const askedOf = 50;

export interface RealSentences {
  originals: string[];
  /** Questions: sentences of the same texts that are not stored */
  asked: string[];
}

/** Sentences written by people: from the documentation of the installed packages, mostly English. */
export async function realSentences(): Promise<RealSentences> {
  const files: string[] = [];
  for await (const file of glob('node_modules/**/*.md', { cwd: root })) files.push(file);
  const found = new Set<string>();
  for (const file of files.sort())
    for (const sentence of sentencesOf(await readFile(root + file, 'utf8'))) found.add(sentence);
  const isAsked = (_: string, i: number): boolean => i % askedOf === askedOf - 1;
  const all = [...found];
  return { originals: all.filter((each, i) => !isAsked(each, i)), asked: all.filter(isAsked) };
}

/** Without code and tables. */
function sentencesOf(markdown: string): string[] {
  return markdown
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/^\|.*$/gm, ' ')
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?]) /)
    .filter((each) => /^[A-Z][a-z'A-Z]* /.test(each) && each.length >= 30 && each.length <= 300);
}
