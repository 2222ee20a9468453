import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChatCompletions, createChatCompletions } from './chat-completions.ts';

/** A stand-in for an OpenAI-compatible provider: the only part of the system that tests cannot run for real. */
export interface EmbeddingProvider {
  url: string;
  /** Texts embedded so far */
  texts: string[];
  /** The provider's language model */
  chat: ChatCompletions;
  /** While set, calls wait (`hang`) or get this status */
  fault: 'hang' | number | undefined;
  /** Resolves when a call has arrived while `fault` was `hang` */
  waiting(): Promise<void>;
  close(): Promise<void>;
}

/** Deterministic vectors: each word adds its own direction, so texts that share words are near each other. */
function vectorOf(text: string, dimension: number): number[] {
  const vector = new Array<number>(dimension).fill(0.001);
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    const digest = createHash('sha256').update(word).digest();
    for (let i = 0; i < 8; i++) vector[digest.readUInt16LE(i * 2) % dimension]! += 1;
  }
  return vector;
}

/** CORS headers, as sent by providers that can be called from a page. */
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type',
};

export async function startEmbeddingProvider(): Promise<EmbeddingProvider> {
  const chat = createChatCompletions();
  const hangingResponses: ServerResponse[] = [];
  let arrived = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      for (const [name, value] of Object.entries(crossOrigin)) response.setHeader(name, value);
      if (request.method === 'OPTIONS') {
        response.writeHead(204).end();
        return;
      }
      if (provider.fault === 'hang') {
        hangingResponses.push(response);
        arrived.resolve();
        return;
      }
      if (provider.fault !== undefined) {
        response.writeHead(provider.fault).end('{}');
        return;
      }
      const body = JSON.parse(Buffer.concat(parts).toString());
      if (request.url?.endsWith('/chat/completions')) return chat.handle(body, request, response);
      const { input, dimensions } = body;
      provider.texts.push(...input);
      const data = (input as string[]).map((text, index) => ({
        index,
        embedding: vectorOf(text, dimensions ?? 1536),
      }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: EmbeddingProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    texts: [],
    chat,
    fault: undefined,
    async waiting() {
      await arrived.promise;
      arrived = Promise.withResolvers();
    },
    async close() {
      for (const response of hangingResponses) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
