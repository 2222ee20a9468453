import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a server that can drop the server's next response. */
export interface LossyLine {
  url: string;
  /** Disconnects after the server has answered the next request, then resolves. Later clients wait for `repair` */
  loseAnswer(): Promise<void>;
  repair(): void;
  close(): Promise<void>;
}

export async function startLossyLine(target: string): Promise<LossyLine> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let lost: (() => void) | undefined;
  let repaired = Promise.withResolvers<void>();
  repaired.resolve();
  const server = createServer(async (client) => {
    await repaired.promise;
    const upstream = connect(Number(port), hostname);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream])
      open.add(socket.on('error', cut).on('close', () => open.delete(socket)));
    client.pipe(upstream);
    upstream.on('end', cut).on('data', (answer) => {
      if (lost === undefined) {
        client.write(answer);
        return;
      }
      repaired = Promise.withResolvers();
      cut();
      lost();
      lost = undefined;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswer: () =>
      new Promise((resolve) => {
        lost = resolve;
      }),
    repair: () => repaired.resolve(),
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
