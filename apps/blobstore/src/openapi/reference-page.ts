/** Loads resources only from this store and sends requests only to it, so the page works without a network. */
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
  url: 'api/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'json',
};

/** The page of `/v1/api`. Its URLs are relative, so that it also works behind a proxy. */
export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Blob store</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. The document it shows is <a href="api/openapi.json">openapi.json</a>.</noscript>
<script id="api-reference" data-configuration="${JSON.stringify(configuration).replaceAll('"', '&quot;')}"></script>
<script src="api/reference.js"></script>
</body>
</html>
`;
