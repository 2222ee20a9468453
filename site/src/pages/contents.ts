import { globSync } from 'node:fs';
import { posix } from 'node:path';
import { read, root } from '../base/repository.ts';
import { plain } from './markdown.ts';

/** A page of the site. */
export interface Page {
  /** Path of the Markdown file from the root of the repository; generated pages have none */
  source?: string;
  /** Path on the site, without extension */
  path: string;
}

export interface Entry {
  title: string;
  /** Path of a page, perhaps with an anchor */
  path: string;
  description: string;
}

export interface Section {
  title: string;
  summary: string;
  entries: Entry[];
}

const contents = 'docs/README.md';
/** Pages that are not in `docs/`, because they belong to what they describe. */
const elsewhere: Record<string, string> = {
  'README.md': 'introduction',
  'CHANGELOG.md': 'changes',
  'CONTRIBUTING.md': 'contributing',
  'STYLE.md': 'style',
  'bench/README.md': 'benchmarks',
  'clients/python/README.md': 'python-package',
  'contracts/README.md': 'account-package',
  'integrations/ai-sdk/README.md': 'integrations/ai-sdk',
  'integrations/langchain/README.md': 'integrations/langchain',
  'integrations/openai-agents/README.md': 'integrations/openai-agents',
  'packages/sdk/README.md': 'sdk',
};

/** The pages that are written by hand. */
export function writtenPages(): Page[] {
  const docs = globSync('docs/**/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  return [
    ...docs.toSorted().map((source) => ({ source, path: pathOf(source) })),
    ...Object.entries(elsewhere).map(([source, path]) => ({ source, path })),
  ];
}

/** `docs/README.md` lists the contents; a folder's README is its first page. */
function pathOf(source: string): string {
  if (source === contents) return 'contents';
  return posix
    .relative('docs', source)
    .replace(/\.md$/, '')
    .replace(/\/README$/, '/index');
}

/** The tables of `docs/README.md`: their headings, and every page they link to. */
export function readSections(pages: readonly Page[]): Section[] {
  const bySource = new Map(pages.map(({ source, path }) => [source, path]));
  return read(contents)
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [title = '', ...lines] = text.split('\n');
      const rows = lines.flatMap((line) => /^\| (.*\]\(.*) \| (.*) \|$/.exec(line) ?? []);
      const entries = lines.flatMap((line) => {
        const [, cell = '', description = ''] = /^\| (.*\]\(.*) \| (.*) \|$/.exec(line) ?? [];
        return [...cell.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].flatMap(([, name, target]) => {
          const [file = '', anchor] = target!.split('#');
          const path = bySource.get(posix.join('docs', file));
          if (path === undefined) throw new Error(`${contents} lists ${target}, which is not on the site`);
          const full = anchor === undefined ? path : `${path}#${anchor}`;
          return [{ title: upperFirst(plain(name!)), path: full, description: plain(description) }];
        });
      });
      const summary = lines.find((line) => line !== '' && !line.startsWith('|')) ?? '';
      return { title, summary: rows.length > 0 ? plain(summary) : '', entries };
    })
    .filter(({ entries }) => entries.length > 0);
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
