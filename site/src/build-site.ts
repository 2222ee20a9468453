import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pagePolicy, referencePage } from '@memrelay/api-reference/reference-page';
import { loadReferenceScript } from '@memrelay/api-reference/reference-script';
import { build } from 'vitepress';
import { root, version } from './base/repository.ts';
import type { SiteSettings } from './config.ts';
import { llmsFullText, llmsText } from './llms.ts';
import { writePages } from './pages/write-pages.ts';
import { explorer, openApiText } from './reference/http.ts';
import { describedVersion, releasedVersions } from './versions.ts';

/** Shown on the start page */
const startPicture = 'dashboard-where';
const workspace = fileURLToPath(new URL('..', import.meta.url));
export const defaultOut = join(workspace, 'dist');

export interface BuildOptions {
  /** Where the site is written; its content is replaced */
  out?: string;
  /** Where it will be served, such as `https://docs.example/`; without it, links in `llms.txt` have no host */
  url?: string;
  /** Folder of this copy below the URL, such as `v0.2.0/` */
  folder?: string;
}

/** Builds the site. Returns what could not be included on this machine. */
export async function buildSite({
  out = defaultOut,
  url,
  folder = '',
}: BuildOptions = {}): Promise<string[]> {
  // Inside the workspace, where packages can be found
  const pages = join(workspace, '.cache', relative(dirname(workspace), out).replaceAll(/\W+/g, '-'));
  rmSync(pages, { recursive: true, force: true });
  const versions = releasedVersions();
  const released = versions.some(({ name }) => name === version);
  const { sections, markdown, notes } = await writePages(pages, released ? `v${version}` : 'main');
  cpSync(join(workspace, 'home.md'), join(pages, 'index.md'));
  const rootPath = url === undefined ? '/' : new URL(url).pathname;
  const base = rootPath + folder;
  const settings: SiteSettings = {
    base,
    rootPath,
    version: describedVersion(versions),
    versions,
    sections,
    outDir: out,
  };
  writeVitepress(pages, settings);
  cpSync(join(root, 'apps/dashboard/src/ui/mark.svg'), join(pages, 'public/mark.svg'));
  for (const theme of ['light', 'dark'])
    cpSync(
      join(root, `docs/images/${startPicture}-${theme}.png`),
      join(pages, `public/images/${startPicture}-${theme}.png`),
    );
  await build(pages).finally(() => rmSync(pages, { recursive: true, force: true }));
  const link = (path: string): string => new URL(`${base}${path}.md`, url ?? 'http://site').href;
  const linkTo = url === undefined ? (path: string) => `${base}${path}.md` : link;
  const files: Record<string, string | Buffer> = {
    'llms.txt': llmsText(sections, linkTo),
    'llms-full.txt': llmsFullText(sections, markdown, linkTo),
    'versions.json': JSON.stringify(versions),
    '.nojekyll': '',
    [explorer.document]: openApiText(),
    [explorer.page]: explorerPage(),
    'reference/http-explorer.js': await loadReferenceScript(),
  };
  for (const [path, text] of markdown) files[`${path}.md`] = text;
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), content);
  }
  return notes;
}

/** VitePress reads its configuration and its theme from files next to the pages. */
function writeVitepress(pages: string, settings: SiteSettings): void {
  const folder = join(pages, '.vitepress');
  mkdirSync(join(folder, 'theme'), { recursive: true });
  mkdirSync(join(pages, 'public'), { recursive: true });
  writeFileSync(
    join(folder, 'config.mjs'),
    `import { siteConfig } from '../../../src/config.ts';\nexport default siteConfig(${JSON.stringify(settings)});\n`,
  );
  writeFileSync(
    join(folder, 'theme/index.mjs'),
    "export { theme as default } from '../../../../theme/theme.ts';\nimport '../../../../theme/style.css';\n",
  );
}

/** The page has no server that could send its policy. */
function explorerPage(): string {
  const html = referencePage({
    title: 'memrelay HTTP API',
    documentUrl: 'openapi.json',
    scriptUrl: 'http-explorer.js',
  });
  const policy = pagePolicy.replace(/; frame-ancestors 'none'/, '');
  return html.replace(
    '<meta charset="utf-8">',
    `<meta charset="utf-8">\n<meta http-equiv="content-security-policy" content="${policy}">`,
  );
}
