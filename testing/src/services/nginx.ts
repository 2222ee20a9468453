import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@memrelay/process/free-ports';
import { findBinary } from './find-binary.ts';
import { startGuarded } from './guarded-process.ts';
import { type RunningService, untilReady } from './service.ts';

const example = fileURLToPath(new URL('../../../deploy/nginx/', import.meta.url));
const exampleServers = ['127.0.0.1:8000', '127.0.0.1:8010'];

/** Path of the nginx of this machine, or undefined. */
export function findNginx(): string | undefined {
  return findBinary(['nginx'], ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']);
}

/**
 * Starts an nginx for this process alone in front of two relayers, with the files of `deploy/nginx` and without TLS. Throws when
 * no nginx is installed or it does not start.
 */
export async function startNginx(relayerUrls: readonly [string, string]): Promise<RunningService> {
  const command = findNginx();
  if (!command) throw new Error('no nginx is installed');
  return serveWithNginx(command, {
    workers: '1',
    http(directory, listen) {
      const upstreams = exampleServers.reduce(
        (text, server, i) => text.replaceAll(server, new URL(relayerUrls[i]!).host),
        readFileSync(join(example, 'upstreams.conf'), 'utf8'),
      );
      writeFileSync(join(directory, 'upstreams.conf'), upstreams);
      return `include ${directory}/upstreams.conf;
        server { ${listen} include ${join(example, 'locations.conf')}; }`;
    },
  });
}

export interface NginxOptions {
  /** `worker_processes` */
  workers: string;
  /** What the `http` block contains. `directory` is empty and removed with the process; `listen` belongs into the server */
  http(directory: string, listen: string): string;
}

/** Starts an nginx with this configuration for this process alone, on a free port and without an access log. */
export async function serveWithNginx(
  command: string,
  { workers, http }: NginxOptions,
): Promise<RunningService> {
  const directory = mkdtempSync(join(tmpdir(), 'memrelay-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join(' ');
  // As root, workers would run as another account, which may not read the folder
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const configuration = join(directory, 'nginx.conf');
  writeFileSync(
    configuration,
    `${user} daemon off; worker_processes ${workers}; pid ${directory}/pid; error_log stderr;
     events { worker_connections 512; }
     http { access_log off; ${temporary}
       ${http(directory, `listen 127.0.0.1:${port};`)} }\n`,
  );
  const service = startGuarded({
    command,
    args: ['-p', directory, '-c', configuration, '-e', 'stderr'],
    directory,
    logFile: join(directory, 'log'),
    stopSignal: 'SIGTERM',
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady('nginx', service, () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  return { url, stop: service.stop };
}
