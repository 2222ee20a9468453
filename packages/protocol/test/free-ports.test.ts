import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort, freePorts } from '../src/free-ports-node.ts';

const directory = join(tmpdir(), `memrelay-ports-${userInfo().username}`);
const source = join(import.meta.dirname, '../src/free-ports-node.ts');

function askedElsewhere(count: number): number[] {
  const script = `const { freePorts } = await import(${JSON.stringify(source)}); console.log((await freePorts(${count})).join())`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    .split(',')
    .map(Number);
}

describe('free ports', () => {
  it('are all different, however many ask at once, and can be listened on', async () => {
    const ports = (await Promise.all(Array.from({ length: 20 }, () => freePorts(10)))).flat();
    expect(new Set(ports).size).toBe(200);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(ports[0], '127.0.0.1', resolve));
    server.close();
  });

  it('are of no range that a system takes ports from by itself', async () => {
    for (const port of await freePorts(50)) expect(port).toBeLessThan(32_768);
  });

  it('are kept from other processes, and given back when this one ends', async () => {
    const port = await freePort();
    expect(existsSync(join(directory, String(port)))).toBe(true);
    const others = askedElsewhere(20);
    expect(others).not.toContain(port);
    const left = readdirSync(directory);
    for (const other of others) expect(left).not.toContain(String(other));
  });
});
