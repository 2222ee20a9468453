import { existsSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { repositoryUrl, root } from '../base/repository.ts';
import type { Page } from './contents.ts';
import { mapLinks } from './markdown.ts';

const picture = /\.(png|svg|jpe?g|gif|webp)$/;

/**
 * A page's Markdown with links that work on the site. Links between pages become relative links to `.md` files, pictures are
 * reported to `onPicture`, and all other files of the repository are linked where it is hosted, at `ref`.
 */
export function siteMarkdown(
  markdown: string,
  page: Required<Page>,
  pages: readonly Page[],
  options: { ref: string; onPicture: (path: string) => void },
): string {
  const bySource = new Map(pages.map(({ source, path }) => [source, path]));
  const here = posix.dirname(page.path);
  return mapLinks(markdown, (target) => {
    if (/^[a-z]+:|^#/.test(target)) return target;
    const [file = '', anchor] = target.split('#');
    const suffix = anchor === undefined ? '' : `#${anchor}`;
    const path = posix.join(posix.dirname(page.source), file).replace(/\/$/, '');
    if (!existsSync(root + path)) throw new Error(`${page.source} links to ${target}, which does not exist`);
    const isFolder = statSync(root + path).isDirectory();
    const other = bySource.get(isFolder ? posix.join(path, 'README.md') : path);
    if (other !== undefined) return relative(here, `${other}.md`) + suffix;
    if (picture.test(path)) {
      options.onPicture(path);
      return relative(here, path.replace(/^docs\//, ''));
    }
    return `${repositoryUrl}/${isFolder ? 'tree' : 'blob'}/${options.ref}/${path}${suffix}`;
  });
}

function relative(from: string, to: string): string {
  const path = posix.relative(from, to);
  return path.startsWith('.') ? path : `./${path}`;
}
