import { ReadableStream } from 'node:stream/web';
import { GrpcWebFetchTransport } from '@mysten/sui/grpc';
import type { Network } from '../src/network.ts';
import { createGrpcWebHandler } from '../src/rpc/grpc-web.ts';
import { createRoutes } from '../src/rpc/services.ts';

/**
 * A transport for `new SuiGrpcClient({ network: 'localnet', transport })` that uses a network in this process
 * without a socket. Every message passes the same codecs and handlers as over HTTP.
 */
export function createLocalnetTransport(network: Pick<Network, 'chain' | 'ids'>): GrpcWebFetchTransport {
  const handle = createGrpcWebHandler(createRoutes(network.chain, network.ids.walType), (error) => {
    throw error;
  });
  const fetch = async (input: Request | string | URL, init: RequestInit = {}): Promise<Response> => {
    const signal = init.signal ?? new AbortController().signal;
    const { contentType, chunks } = handle({
      path: new URL(String(input)).pathname,
      contentType: new Headers(init.headers).get('content-type') ?? '',
      body: Buffer.from(await new Response(init.body).arrayBuffer()),
      signal,
    });
    const stream = ReadableStream.from(chunks) as unknown as RequestInit['body'];
    return new Response(stream, { headers: { 'content-type': contentType } });
  };
  return new GrpcWebFetchTransport({ baseUrl: 'http://localnet.invalid', format: 'binary', fetch });
}
