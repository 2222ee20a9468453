import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Below those that systems give to outgoing connections and to whoever listens on port 0: nobody gets one by chance. */
const [lowest, highest] = [20_000, 32_767];

/**
 * Ports of 127.0.0.1 that nobody listens on now, all different. Until this process ends no other one is given them by this
 * function.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(lowest, highest + 1);
    if (reserve(port) && (await canListen(port))) ports.push(port);
  }
  return ports;
}

/** One port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

const directory = join(tmpdir(), `memrelay-ports-${userInfo().username}`);
const reserved = new Set<string>();

/** A file for each port, with the process that has it. */
function reserve(port: number): boolean {
  const file = join(directory, String(port));
  if (reserved.has(file)) return false;
  if (isGone(file)) rmSync(file, { force: true });
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process has the port, or has just removed the directory
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  }
  if (reserved.size === 0) process.once('exit', release);
  reserved.add(file);
  return true;
}

/** Nothing is left: the last one removes the directory too. */
function release(): void {
  for (const file of reserved) rmSync(file, { force: true });
  try {
    rmdirSync(directory);
  } catch {
    // Others still have ports
  }
}

/** True when there is no such file either. */
function isGone(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
