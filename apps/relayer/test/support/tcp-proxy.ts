import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** Target of new connections; undefined rejects them */
  target: number | undefined;
  /** Stops forwarding bytes without closing anything, like a network that drops packets */
  silent: boolean;
  /** How many connections have been forwarded so far */
  connections: number;
  /** Closes every open connection */
  cut(): void;
  close(): Promise<void>;
}

/** A port that stays open while its target comes and goes. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    if (proxy.target === undefined) {
      incoming.destroy();
      return;
    }
    proxy.connections += 1;
    const outgoing = connect(proxy.target, '127.0.0.1');
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one);
      one.on('data', (bytes) => void (proxy.silent || other.write(bytes)));
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    silent: false,
    connections: 0,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      proxy.cut();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
