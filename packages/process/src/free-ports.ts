import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral ports that systems assign to outgoing connections and for port 0, so none is taken by chance. */
const [lowest, highest] = [20_000, 32_767];

/**
 * Different free ports of 127.0.0.1. On Linux, no other process gets the same ones from this function until this process
 * ends.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(lowest, highest + 1);
    if ((await reserve(port)) && (await canListen(port))) ports.push(port);
  }
  return ports;
}

/** One free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** Reserves the port by an abstract socket: only one process can hold its name, and the kernel frees it with the process. */
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
