import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort, freePorts } from '../src/free-ports.ts';

const source = join(import.meta.dirname, '../src/free-ports.ts');

/** Ports from another process, which has ended when this returns */
function portsOfOtherProcess(count: number): number[] {
  const script = `const { freePorts } = await import(${JSON.stringify(source)}); console.log((await freePorts(${count})).join())`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    .split(',')
    .map(Number);
}

/** Whether a process has reserved the port */
function isReserved(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(`\0memrelay-port-${port}`);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

describe('free ports', () => {
  it('are distinct under concurrent requests, and can be listened on', async () => {
    const ports = (await Promise.all(Array.from({ length: 20 }, () => freePorts(10)))).flat();
    expect(new Set(ports).size).toBe(200);
    const server = createServer().listen(ports[0], '127.0.0.1');
    await once(server, 'listening');
    server.close();
  });

  it('are outside the ephemeral range of the system', async () => {
    for (const port of await freePorts(50)) expect(port).toBeLessThan(32_768);
  });

  it.runIf(process.platform === 'linux')('are reserved until the process that has them exits', async () => {
    const port = await freePort();
    expect(await isReserved(port)).toBe(true);
    const others = portsOfOtherProcess(20);
    expect(others).not.toContain(port);
    for (const other of others) expect(await isReserved(other)).toBe(false);
  });
});
