import { createHash } from 'node:crypto';
import type { ApiError } from '@memrelay/protocol/errors';

/** Colours and sizes of the dashboard's pages (its `ui/tokens.css`). */
const style = `
:root { color-scheme: light dark; font: 15px/1.55 system-ui, sans-serif;
  background: light-dark(#f6f7f6, #0e1211); color: light-dark(#16201e, #e9eeec); }
body { margin: 0; }
main { box-sizing: border-box; max-width: 36rem; margin: clamp(1.5rem, 8vh, 5rem) auto; padding: 2rem;
  border: 1px solid light-dark(#e3e6e4, #2a3130); border-radius: 14px; background: light-dark(#ffffff, #161b1a); }
.name { color: light-dark(#0f766e, #2dd4bf); font-weight: 650; }
h1 { margin: 0.4rem 0 1rem; font-size: 1.6rem; line-height: 1.25; letter-spacing: -0.02em; }
.id { color: light-dark(#566360, #9dacaa); font-size: 0.9rem; overflow-wrap: anywhere; }
`;

/** Allows this style and nothing else. */
export const errorPageHeaders = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
};

/**
 * Shown to a person whose browser was redirected here with an invalid request for access. Contains nothing from the request:
 * `requestId` is the relayer's.
 */
export function errorPage({ message }: ApiError, requestId: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>memrelay: this link does not work</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="name">memrelay</p>
<h1>This link does not work</h1>
<p>The program that sent you here asked for access in a way that is not valid, so nothing was granted: ${message}</p>
<p>Go back to it, remove the connection to memrelay there, and add it again.</p>
<p class="id">Request <code>${requestId}</code></p>
</main>
</body>
</html>`;
}
