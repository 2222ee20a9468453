import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that systems give to outgoing connections and to whoever listens on port 0: nobody gets one by chance. */
const [lowest, highest] = [20_000, 32_767];

/**
 * Ports of 127.0.0.1 that nobody listens on now, all different. On Linux this function gives them to no other process
 * either, until this one ends.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(lowest, highest + 1);
    if ((await reserve(port)) && (await canListen(port))) ports.push(port);
  }
  return ports;
}

/** One port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** By a name that one process can hold, which ends with it however that comes about: an abstract socket. */
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
