import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** A range below the ephemeral ports, which systems use for outgoing connections and for port 0. */
const [lowest, highest] = [20_000, 32_767];

/**
 * Different ports of 127.0.0.1 that are free now. On Linux this function does not return them to another process until
 * this one ends.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(lowest, highest + 1);
    if ((await reserve(port)) && (await canListen(port))) ports.push(port);
  }
  return ports;
}

/** One port that is free now. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** Reserves the port by listening on an abstract socket, which the kernel releases however the process ends. */
function reserve(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true);
  const holder = createServer((socket) => socket.destroy()).unref();
  return new Promise((resolve) => {
    holder.once('error', () => resolve(false));
    holder.listen(`\0memrelay-port-${port}`, () => resolve(true));
  });
}

function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
