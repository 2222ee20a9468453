/** The page shown when the address of an API is opened in a browser. */
export interface FrontPage {
  title: string;
  /** What this address is for; plain text, one paragraph each */
  about: readonly string[];
  links: readonly { href: string; text: string }[];
}

/** The policy allows no scripts, images or requests: the page has only text and styles. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Programs get a different response at the same address
  vary: 'accept',
} as const;

interface PageRequest {
  method: string;
  url: string;
  headers: { accept?: string | undefined };
}

/**
 * The front page, if a request without a route is a browser's request for `/` (with `text/html` in `Accept`). Returns
 * undefined for all other requests, which get the usual error.
 */
export function frontPageFor(
  { method, url, headers: { accept = '' } }: PageRequest,
  page: FrontPage,
): { headers: Readonly<Record<string, string>>; body: string } | undefined {
  const isFront = (method === 'GET' || method === 'HEAD') && /^\/(?:\?|$)/.test(url);
  return isFront && /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(accept)
    ? { headers, body: rendered(page) }
    : undefined;
}

function rendered({ title, about, links }: FrontPage): string {
  const items = links.map(({ href, text }) => `<li><a href="${escaped(href)}">${escaped(text)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
code { font-family: ui-monospace, monospace }
</style>
<h1>${escaped(title)}</h1>
${about.map((text) => `<p>${withCode(text)}</p>`).join('\n')}
<ul>
${items.join('\n')}
</ul>
</html>
`;
}

/** Text in backticks is code. */
function withCode(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
