import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** An HTML page as it was built. */
export interface BuiltPage {
  /** Path in the folder, such as `operate/install.html` */
  file: string;
  ids: ReadonlySet<string>;
  /** Targets of `<a>` */
  links: string[];
  /** Everything that the browser loads by itself */
  resources: string[];
}

/** Every HTML page of a built site, except those of other generators. */
export function readBuiltPages(folder: string): BuiltPage[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.html') && !file.endsWith('http-explorer.html'))
    .map((file) => {
      const html = readFileSync(join(folder, file), 'utf8');
      const values = (pattern: RegExp): string[] =>
        [...html.matchAll(pattern)].map(([, value]) => decode(value!));
      return {
        file,
        ids: new Set(values(/\sid="([^"]*)"/g)),
        links: values(/<a\s[^>]*?href="([^"]*)"/g),
        resources: [
          ...values(/<link\s[^>]*?href="([^"]*)"/g),
          ...values(/\ssrc="([^"]*)"/g),
          ...values(/url\(["']?([^)"']+)/g),
        ],
      };
    });
}

/** The file that an address of the site names, with the anchor; undefined for other sites. */
export function fileOf(
  link: string,
  from: string,
  base: string,
): { file: string; anchor?: string } | undefined {
  if (/^[a-z][a-z+.-]*:/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const absolute =
    path === ''
      ? `${base}${from}`
      : posix.join(path.startsWith('/') ? '' : posix.dirname(`${base}${from}`), path);
  const inside = absolute.startsWith(base) ? absolute.slice(base.length) : `outside of the site: ${absolute}`;
  const file = inside === '' || inside.endsWith('/') ? `${inside}index.html` : inside;
  return {
    file: posix.extname(file) === '' || /\.\d+$/.test(file) ? `${file}.html` : file,
    ...(anchor ? { anchor: decodeURIComponent(anchor) } : {}),
  };
}

const decode = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
