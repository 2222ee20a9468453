import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@memrelay/process/free-ports';
import { findBinary } from './find-binary.ts';
import { startGuarded } from './guarded-process.ts';
import { type PreparedService, type RunningService, untilReady } from './service.ts';

/** Path of the redis-server (or Valkey) of this machine, or undefined. */
export function findRedis(): string | undefined {
  return findBinary(['redis-server', 'valkey-server'], ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']);
}

/**
 * Starts a Redis for this process alone, on a free loopback port. It keeps nothing on disk and never evicts, because
 * nonces must not be lost. Throws when no redis-server is installed or it does not start.
 */
export async function startRedis(): Promise<RunningService> {
  const { command, url, isReady } = await prepareRedis({ appendOnly: false });
  const service = startGuarded(command);
  await untilReady('redis-server', service, isReady);
  return { url, stop: service.stop };
}

/** Creates the folder of such a Redis without starting it. With `appendOnly` it stores everything on disk. */
export async function prepareRedis({ appendOnly }: { appendOnly: boolean }): Promise<PreparedService> {
  const command = findRedis();
  if (!command) throw new Error('no redis-server is installed');
  const directory = mkdtempSync(join(tmpdir(), 'memrelay-redis-'));
  const port = await freePort();
  return {
    command: {
      command,
      args: [
        ...['--bind', '127.0.0.1', '--port', String(port), '--dir', directory],
        ...['--save', '', '--appendonly', appendOnly ? 'yes' : 'no', '--maxmemory-policy', 'noeviction'],
      ],
      directory,
      logFile: join(directory, 'log'),
      stopSignal: 'SIGTERM',
    },
    url: `redis://127.0.0.1:${port}`,
    isReady: () => answersPing(port),
  };
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      resolve(data.toString('latin1').startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false)).once('close', () => resolve(false));
  });
}
