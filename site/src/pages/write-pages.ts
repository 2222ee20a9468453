import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { read, root } from '../base/repository.ts';
import { httpReference } from '../reference/http.ts';
import { pythonReference } from '../reference/python.ts';
import { writeTypescriptReference } from '../reference/typescript.ts';
import { readSections, type Section, writtenPages } from './contents.ts';
import { siteMarkdown } from './links.ts';
import { mapLinks, titleAndSummary } from './markdown.ts';

export interface WrittenSite {
  /** In the order of the contents; every page is in exactly one section, except the start page and the contents */
  sections: Section[];
  /** Markdown of each page by its path, as it is published */
  markdown: ReadonlyMap<string, string>;
  /** What could not be written on this machine */
  notes: string[];
}

const reference = 'reference';

/** Writes every page as Markdown into `out`, with the pictures that it shows. Files that are not pages are linked at `ref`. */
export async function writePages(out: string, ref: string): Promise<WrittenSite> {
  const pages = writtenPages();
  const markdown = new Map<string, string>();
  const pictures = new Set<string>();
  const onPicture = (path: string): void => void pictures.add(path);
  for (const { source, path } of pages) {
    const page = { source: source!, path };
    markdown.set(path, siteMarkdown(read(source!), page, pages, { ref, onPicture }));
  }
  const { entries, notes } = await writeReferences(join(out, reference), markdown);
  const sections = [...readSections(pages), { title: 'API reference', summary: '', entries }];
  for (const path of pictures) {
    // The dark variant is shown in the dark theme
    for (const each of [path, path.replace('-light.', '-dark.')])
      copy(each, join(out, each.replace(/^docs\//, '')));
  }
  for (const [path, text] of markdown) write(join(out, `${path}.md`), withFrontMatter(text, path, sections));
  return { sections, markdown, notes };
}

/** The generated pages, all in one folder. */
async function writeReferences(folder: string, markdown: Map<string, string>) {
  const modules = join(folder, 'modules');
  const [python] = await Promise.all([pythonReference(), writeTypescriptReference(modules)]);
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^@memrelay.+\.md$/.test(file),
  );
  const pageOf = (file: string): string => file.replace(/^@memrelay\//, '').replaceAll(/[/\\]/g, '-');
  for (const file of files) {
    const text = mapLinks(readFileSync(join(modules, file), 'utf8'), (target) => {
      const [path = '', anchor = ''] = target.split('#');
      return path === '' || /^[a-z]+:/.test(target)
        ? target
        : `./${pageOf(join(dirname(file), path).replaceAll('\\', '/'))}#${anchor}`;
    });
    markdown.set(`${reference}/${pageOf(file).replace(/\.md$/, '')}`, text);
  }
  rmSync(modules, { recursive: true });
  markdown.set(`${reference}/http`, httpReference());
  markdown.set(`${reference}/python`, 'markdown' in python ? python.markdown : noPython);
  const entries = [...markdown.keys()]
    .filter((path) => path.startsWith(`${reference}/`))
    .map((path) => ({ path, ...titleAndSummary(markdown.get(path)!) }))
    .map(({ path, title, summary }) => ({ path, title, description: summary }));
  return { entries, notes: 'missing' in python ? [`No Python reference: ${python.missing}.`] : [] };
}

const noPython =
  '# Python API\n\nThis copy of the site was built on a machine without Python, so the reference is missing. In Python, `help(memrelay.MemRelay)` shows it.\n';

function withFrontMatter(text: string, path: string, sections: readonly Section[]): string {
  const { title, summary } = titleAndSummary(text);
  const entry = sections.flatMap(({ entries }) => entries).find((each) => each.path === path);
  const description = entry?.description || summary;
  return `---\ntitle: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(description)}\n---\n\n${text}`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function copy(path: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(join(root, path), to);
}
