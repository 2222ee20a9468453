import { basename } from 'node:path';
import { type DefaultTheme, defineConfig, type MarkdownRenderer, type UserConfig } from 'vitepress';
import { repositoryUrl } from './base/repository.ts';
import { diagramHtml } from './diagrams.ts';
import type { Section } from './pages/contents.ts';
import { anchorOf } from './pages/markdown.ts';
import type { SiteVersion } from './versions.ts';

/** What a build passes to VitePress, as JSON. */
export interface SiteSettings {
  /** Path of this copy, and of the whole site, which has a folder for each version. With slashes at both ends */
  base: string;
  rootPath: string;
  version: string;
  versions: readonly SiteVersion[];
  sections: readonly Section[];
  outDir: string;
}

export interface ThemeSettings extends DefaultTheme.Config {
  site: Pick<SiteSettings, 'rootPath' | 'version' | 'versions'>;
}

export function siteConfig(settings: SiteSettings): UserConfig<ThemeSettings> {
  const { base, rootPath, version, versions, outDir } = settings;
  return defineConfig<ThemeSettings>({
    title: 'memrelay',
    description: 'Encrypted memory for AI agents, with keys that belong to their owner',
    lang: 'en',
    base,
    outDir,
    cleanUrls: true,
    // The pages are generated, so their dates say nothing
    lastUpdated: false,
    head: [
      ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}mark.svg` }],
      ['meta', { name: 'theme-color', content: '#0f766e' }],
    ],
    // The start page of the default theme has no landmark
    transformHtml: (html) => html.replace('<div class="VPHome"', '<div role="main" class="VPHome"'),
    markdown: {
      anchor: { slugify: anchorOf },
      // Braces are text: `GET /api/memories/{id}`
      attrs: false,
      languageAlias: { env: 'ini' },
      config: extendMarkdown,
    },
    vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 8_000 } },
    themeConfig: {
      site: { rootPath, version, versions },
      logo: '/mark.svg',
      search: { provider: 'local', options: { miniSearch: { searchOptions: searchWeights } } },
      outline: { level: [2, 3] },
      socialLinks: [{ icon: 'github', link: repositoryUrl }],
      nav: [
        { text: 'Guide', link: '/introduction', activeMatch: '^/(introduction|tutorial|contents)' },
        { text: 'Recipes', link: '/recipes/', activeMatch: '^/recipes/' },
        {
          text: 'Reference',
          activeMatch: '^/(reference/|command|configuration|errors)',
          items: [
            { text: 'TypeScript', link: '/reference/sdk' },
            { text: 'Python', link: '/reference/python' },
            { text: 'HTTP API', link: '/reference/http' },
            { text: 'Command', link: '/command' },
            { text: 'Configuration', link: '/configuration' },
            { text: 'Errors', link: '/errors' },
          ],
        },
        { component: 'VersionSwitch' },
      ],
      sidebar: sidebarOf(settings.sections),
      docFooter: { prev: 'Previous', next: 'Next' },
      footer: {
        message: `Apache-2.0 · <a href="${base}llms.txt">llms.txt</a> · <a href="${repositoryUrl}">Source</a>`,
      },
    },
  });
}

/** A hit in a heading counts more than one in the text. */
const searchWeights = { fuzzy: 0.15, prefix: true, boost: { title: 4, text: 1, titles: 2 } };

const openGroups: ReadonlySet<string> = new Set(['Start', 'Recipes', 'Use it']);

function sidebarOf(sections: readonly Section[]): DefaultTheme.SidebarItem[] {
  const linkOf = (path: string): string => `/${path.replace(/(^|\/)index$/, '$1')}`;
  const groups = sections.map(({ title, entries }) => ({
    text: title,
    collapsed: !openGroups.has(title),
    items: entries.map(({ title: text, path }) => ({ text, link: linkOf(path) })),
  }));
  return [...groups, { text: 'All pages', link: '/contents' }];
}

function extendMarkdown(md: MarkdownRenderer): void {
  const { fence, image } = md.renderer.rules;
  if (!fence || !image) throw new Error('VitePress has no renderer for code or pictures');
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index]!;
    return info.trim() === 'mermaid' ? diagramHtml(content) : fence(tokens, index, ...rest);
  };
  // A header cell without a text is no header
  const cell = (open: boolean) => (tokens: readonly { content: string }[], index: number) => {
    const isEmpty = tokens[index + (open ? 1 : -1)]!.content === '';
    return `<${open ? '' : '/'}${isEmpty ? 'td' : 'th'}>`;
  };
  md.renderer.rules.th_open = cell(true);
  md.renderer.rules.th_close = cell(false);
  // A picture of a page has a variant for the dark theme next to it
  md.renderer.rules.image = (tokens, index, ...rest) => {
    const token = tokens[index]!;
    const source = token.attrGet('src') ?? '';
    if (!basename(source).includes('-light.')) return image(tokens, index, ...rest);
    const variant = (name: string): string => {
      token.attrSet('src', source.replace('-light.', `-${name}.`));
      token.attrSet('class', `${name}-only`);
      return image(tokens, index, ...rest);
    };
    return variant('light') + variant('dark');
  };
}
