/** Loads resources only from its own server and sends requests only to it, so the page works without a network. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Disables everything in the renderer that contacts its vendor or advertises its products. */
const configuration = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'json',
};

export interface PageOptions {
  title: string;
  /** URLs of the document and of the script (reference-script.ts); relative ones also work behind a proxy */
  documentUrl: string;
  scriptUrl: string;
}

/** The page that renders an OpenAPI document. Needs `pagePolicy` as its content security policy. */
export function referencePage({ title, documentUrl, scriptUrl }: PageOptions): string {
  const settings = JSON.stringify({ url: documentUrl, ...configuration }).replaceAll('"', '&quot;');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. The document it shows is <a href="${documentUrl}">openapi.json</a>.</noscript>
<script id="api-reference" data-configuration="${settings}"></script>
<script src="${scriptUrl}"></script>
</body>
</html>
`;
}
