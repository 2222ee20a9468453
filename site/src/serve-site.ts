import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

export interface SiteServer {
  /** With a slash at the end */
  url: string;
  close(): Promise<void>;
}

/** Serves a built site on this machine only, with addresses without `.html`, as static hosts do. Port 0 takes a free one. */
export async function serveSite(folder: string, base = '/', port = 0): Promise<SiteServer> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const found = pathname.startsWith(base)
      ? await find(folder, decodeURIComponent(pathname.slice(base.length)))
      : undefined;
    const { path, content } = found ?? (await find(folder, '404')) ?? { path: '/.txt', content: 'Not found' };
    const type = types[extname(path)] ?? 'application/octet-stream';
    response.writeHead(found ? 200 : 404, { 'content-type': type }).end(content);
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', resolve),
  );
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}${base}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function find(folder: string, path: string): Promise<{ path: string; content: Buffer } | undefined> {
  // Never outside of the folder
  const inside = normalize(`/${path}`);
  const candidates =
    inside.endsWith('/') || inside === '/' ? [`${inside}index.html`] : [inside, `${inside}.html`];
  for (const candidate of candidates) {
    const content = await readFile(join(folder, candidate)).catch(() => undefined);
    if (content) return { path: candidate, content };
  }
}
