import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { GrpcTypes } from '@mysten/sui/grpc';
import { Transaction } from '@mysten/sui/transactions';

/** A proxy between sidecars and the chain that sees every submitted transaction, regardless of its signer. */
export interface ChainWatch {
  url: string;
  /** Senders of the transactions submitted so far, including rejected ones */
  senders: string[];
  /** One entry for each transaction submitted while another of the same sender was in progress */
  overlaps: { sender: string; at: string }[];
  /**
   * Holds the response of the transaction that follows `others` further ones. It has taken effect, but the caller does not
   * know
   */
  holdAnswer(others: number): Promise<void>;
  /** Rejects the next transaction as a full node would, without or after executing it */
  refuseNext: 'unexecuted' | 'executed' | undefined;
  close(): Promise<void>;
}

const executePath = '/sui.rpc.v2.TransactionExecutionService/ExecuteTransaction';
const frameHeaderBytes = 5;

/** Starts the proxy. `answerDelayMs` is drawn for each transaction, because a public chain responds later than it decides. */
export async function startChainWatch(targetUrl: string, answerDelayMs: () => number): Promise<ChainWatch> {
  const target = new URL(targetUrl);
  const underWay = new Map<string, number>();
  let pendingHold: { others: number; arrived(): void } | undefined;

  const server = createServer((request, response) => {
    void (request.url === executePath ? execute(request, response) : pass(request, response, request));
  });

  function pass(
    request: IncomingMessage,
    response: ServerResponse,
    body: IncomingMessage | Buffer,
    before: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { hostname: host, port } = target;
    const { method, url: path, headers } = request;
    const outgoing = send({ host, port, method, path, headers }, (answer) => {
      void before().then(() => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
    });
    outgoing.once('error', () => response.destroy());
    response.once('close', () => {
      outgoing.destroy();
      resolve();
    });
    if (Buffer.isBuffer(body)) outgoing.end(body);
    else body.pipe(outgoing);
    return promise;
  }

  /** Submits a transaction and drops the response. */
  async function executed(body: Buffer, { url, headers }: IncomingMessage): Promise<void> {
    const contentType = headers['content-type'] ?? '';
    const answer = await fetch(new URL(url!, targetUrl), {
      method: 'POST',
      headers: { 'content-type': contentType },
      body: new Uint8Array(body),
    });
    await answer.arrayBuffer();
  }

  async function execute(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const sender = senderOf(body, request.headers['content-type'] ?? '');
    watch.senders.push(sender);
    const others = underWay.get(sender) ?? 0;
    if (others > 0) watch.overlaps.push({ sender, at: new Date().toISOString() });
    underWay.set(sender, others + 1);
    const refusal = watch.refuseNext;
    watch.refuseNext = undefined;
    if (refusal === 'executed') await executed(body, request);
    if (refusal) {
      // Status 3, INVALID_ARGUMENT: a full node's response to outdated object versions
      response.writeHead(200, { 'content-type': 'application/grpc-web+proto', 'grpc-status': '3' }).end();
      underWay.set(sender, others);
      return;
    }
    const hold = pendingHold?.others === 0 ? pendingHold : undefined;
    if (hold) pendingHold = undefined;
    else if (pendingHold) pendingHold.others -= 1;
    await pass(request, response, body, async () => {
      hold?.arrived();
      // A held response waits until the caller has disconnected
      await (hold ? new Promise((resolve) => response.once('close', resolve)) : pause(answerDelayMs()));
    });
    underWay.set(sender, (underWay.get(sender) ?? 1) - 1);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const watch: ChainWatch = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    senders: [],
    overlaps: [],
    refuseNext: undefined,
    holdAnswer(others) {
      const { promise, resolve: arrived } = Promise.withResolvers<void>();
      pendingHold = { others, arrived };
      return promise;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return watch;
}

/** Sender of the transaction in a gRPC-web call, in its text (base64) or its binary form. */
function senderOf(body: Buffer, contentType: string): string {
  const text = contentType.startsWith('application/grpc-web-text');
  const message = (text ? Buffer.from(body.toString('latin1'), 'base64') : body).subarray(frameHeaderBytes);
  const { transaction } = GrpcTypes.ExecuteTransactionRequest.fromBinary(message);
  return Transaction.from(transaction!.bcs!.value!).getData().sender ?? '';
}
