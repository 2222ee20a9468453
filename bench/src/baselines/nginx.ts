import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptInstall, aptUpdate, whyNoApt } from '@memrelay/dev-env/services/apt';
import { findBinary } from '@memrelay/dev-env/services/find-binary';
import { startGuarded } from '@memrelay/dev-env/services/guarded-process';
import { type RunningService, untilReady } from '@memrelay/dev-env/services/service';
import { freePort } from '@memrelay/process/free-ports';

async function nginxBinary(): Promise<string> {
  const find = () => findBinary(['nginx'], ['/usr/sbin']);
  const found = find();
  if (found !== undefined) return found;
  const reason = whyNoApt();
  if (reason !== undefined) throw new Error(`nginx is not installed, and ${reason}`);
  await aptUpdate();
  await aptInstall(['nginx']);
  return find()!;
}

/** nginx as a file server that also accepts PUT (DAV), with its default settings and no access log. */
export async function startNginx(): Promise<RunningService> {
  const binary = await nginxBinary();
  const directory = await mkdtemp(join(tmpdir(), 'memrelay-nginx-'));
  const port = await freePort();
  const files = join(directory, 'files');
  const logFile = join(directory, 'error.log');
  await mkdir(files);
  const config = `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes auto;
pid ${directory}/nginx.pid;
error_log ${logFile};
events { worker_connections 512; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_max_body_size 0;
  client_body_temp_path ${directory}/incoming;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${files};
    location / { dav_methods PUT; }
  }
}
`;
  const configPath = join(directory, 'nginx.conf');
  await writeFile(configPath, config);
  const url = `http://127.0.0.1:${port}`;
  const service = startGuarded({
    command: binary,
    args: ['-e', logFile, '-c', configPath],
    directory,
    logFile,
    stopSignal: 'SIGTERM',
  });
  await untilReady('nginx', service, () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  return { url, stop: service.stop };
}
