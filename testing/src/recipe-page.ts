import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A command of a page, with the output that the page shows. */
export interface ShownCommand {
  command: string;
  output: string;
}

export interface RecipePage {
  /** Programs and data that the reader saves, by name */
  files: Record<string, string>;
  /** In the order of the page */
  commands: ShownCommand[];
}

const file = /Save (?:this|it) as `([^`]+)`[^\n]*\n\n```\w+\n([\s\S]*?)^```$/gm;
const consoleBlock = /^```console\n([\s\S]*?)^```$/gm;

/** Reads a page whose path is relative to the root of the repository. */
export async function readRecipe(path: string): Promise<RecipePage> {
  const text = await readFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
  const files = Object.fromEntries([...text.matchAll(file)].map(([, name, content]) => [name!, content!]));
  const commands = [...text.matchAll(consoleBlock)].flatMap(([, block]) =>
    block!
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...output] = part.split('\n');
        return { command, output: output.join('\n').trim() };
      }),
  );
  return { files, commands };
}

/** What differs from run to run, by its form. */
const changing: readonly [shown: RegExp, any: string][] = [
  [/\d{4}-\d\d-\d\d/, '\\d{4}-\\d\\d-\\d\\d'],
  [/\b\d\d:\d\d\b/, '\\d\\d:\\d\\d'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/, '[0-9a-f-]{36}'],
  [/\b[\w-]{43}\b/, '[\\w-]{43}'],
  [/\b\d+ ms\b|\b\d+\.\d+ s\b/, '(?:\\d+ ms|\\d+\\.\\d+ s)'],
  [/\(\d+\/s\)/, '\\(\\d+\\/s\\)'],
  [/\b[01]\.\d{3}\b/, '[01]\\.\\d{3}'],
  [/ *…/, '[\\s\\S]*?'],
];
const anyChanging = new RegExp(changing.map(([shown]) => `(?:${shown.source})`).join('|'), 'g');

/** Matches the output of a run that a page shows: `…` is anything; ids, dates, scores and times have only their form. */
export function outputPattern(shown: string): RegExp {
  let pattern = '';
  let end = 0;
  for (const { 0: part, index } of shown.matchAll(anyChanging)) {
    const [, any] = changing.find(([form]) => new RegExp(`^(?:${form.source})$`).test(part))!;
    pattern += escaped(shown.slice(end, index)) + any;
    end = index + part.length;
  }
  return new RegExp(`^${pattern}${escaped(shown.slice(end))}$`);
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
