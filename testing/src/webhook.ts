import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the webhook responds to a post: with a status, by breaking the connection, or never. */
export type WebhookResponse = 'break off' | 'hang' | { status: number; headers?: Record<string, string> };

export interface Webhook {
  /** Has a secret in its path, like the webhooks of chat services */
  url: string;
  secret: string;
  /** Responses to the next posts, in order */
  next: WebhookResponse[];
  /** The response to all later posts: 200 by default */
  usual: WebhookResponse;
  /** Every post received, with its time */
  posts: { body: string; contentType: string | undefined; at: number }[];
  /** The texts of posts that got a 200 response */
  taken: string[];
  close(): Promise<void>;
}

/** An incoming webhook of a chat service, over a real socket. */
export async function startWebhook(port = 0): Promise<Webhook> {
  const secret = 'T0000-B0000-hook-secret';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => take(Buffer.concat(chunks).toString(), request, response));
  });
  function take(body: string, request: IncomingMessage, response: ServerResponse): void {
    hook.posts.push({ body, contentType: request.headers['content-type'], at: Date.now() });
    const how = hook.next.shift() ?? hook.usual;
    if (how === 'hang') return;
    if (how === 'break off') return void request.socket.destroy();
    if (how.status === 200) hook.taken.push((JSON.parse(body) as { text: string }).text);
    response.writeHead(how.status, how.headers).end(how.status === 200 ? 'ok' : 'no');
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const hook: Webhook = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/${secret}`,
    secret,
    next: [],
    usual: { status: 200 },
    posts: [],
    taken: [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hook;
}
