import type { Section } from './pages/contents.ts';
import { plain } from './pages/markdown.ts';

const summary =
  'memrelay stores and recalls encrypted text memories for AI agents, with keys that belong to their owner: a signed HTTP API, SDKs for TypeScript and Python, an MCP tool server, a command and a dashboard.';
/** Sections that a model which writes programs with memrelay can do without. */
const optional: ReadonlySet<string> = new Set(['The blob store', 'Work on it']);

/** `llms.txt` (llmstxt.org): what there is to read, as links to Markdown. `url` makes a link from the path of a page. */
export function llmsText(sections: readonly Section[], url: (path: string) => string): string {
  const listed = new Set<string>();
  const render = (section: Section, level: string): string => {
    const lines = section.entries.flatMap(({ title, path, description }) => {
      const page = path.split('#')[0]!;
      if (listed.has(page)) return [];
      listed.add(page);
      return [`- [${title}](${url(page)})${description ? `: ${plain(description)}` : ''}`];
    });
    return lines.length === 0 ? '' : `${level} ${section.title}\n\n${lines.join('\n')}\n`;
  };
  const main = sections.filter(({ title }) => !optional.has(title)).map((section) => render(section, '##'));
  const rest = {
    title: 'Optional',
    summary: '',
    entries: sections.filter(({ title }) => optional.has(title)).flatMap(({ entries }) => entries),
  };
  return [`# memrelay\n\n> ${summary}\n`, ...main, render(rest, '##')]
    .filter((part) => part !== '')
    .join('\n');
}

/** `llms-full.txt`: all pages in the order of the contents, each below a line with its address. */
export function llmsFullText(
  sections: readonly Section[],
  markdown: ReadonlyMap<string, string>,
  url: (path: string) => string,
): string {
  const order = new Set(sections.flatMap(({ entries }) => entries.map(({ path }) => path.split('#')[0]!)));
  for (const path of markdown.keys()) order.add(path);
  return [...order]
    .filter((path) => markdown.has(path))
    .map((path) => `<!-- ${url(path)} -->\n\n${markdown.get(path)!.trim()}\n`)
    .join('\n---\n\n');
}
