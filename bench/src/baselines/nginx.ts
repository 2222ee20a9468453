import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { aptInstall, aptUpdate, whyNoApt } from '@memrelay/dev-env/services/apt';
import { findBinary } from '@memrelay/dev-env/services/find-binary';
import { freePort } from '@memrelay/protocol/free-ports-node';

export interface Nginx {
  url: string;
  stop(): Promise<void>;
}

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

/** nginx as a file server that also takes PUT (DAV), with its usual settings and no access log. */
export async function startNginx(): Promise<Nginx> {
  const binary = await nginxBinary();
  const directory = await mkdtemp(join(tmpdir(), 'memrelay-nginx-'));
  const port = await freePort();
  const files = join(directory, 'files');
  await mkdir(files);
  const config = `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes auto;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
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
  const child = spawn(binary, ['-e', join(directory, 'error.log'), '-c', configPath], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await answers(url, child.exitCode);
  return {
    url,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function answers(url: string, exitCode: number | null): Promise<void> {
  for (let attempt = 0; attempt < 100 && exitCode === null; attempt++) {
    if (await fetch(url).catch(() => undefined)) return;
    await wait(50);
  }
  throw new Error('nginx did not start');
}
