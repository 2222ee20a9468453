import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall, aptUpdate, whyNoApt } from '@memrelay/dev-env/services/apt';
import { findNginx, serveWithNginx } from '@memrelay/dev-env/services/nginx';
import type { RunningService } from '@memrelay/dev-env/services/service';

async function nginxBinary(): Promise<string> {
  const found = findNginx();
  if (found !== undefined) return found;
  const reason = whyNoApt();
  if (reason !== undefined) throw new Error(`nginx is not installed, and ${reason}`);
  await aptUpdate();
  await aptInstall(['nginx']);
  return findNginx()!;
}

/** nginx as a file server that also accepts PUT (DAV), with its default settings and no access log. */
export async function startNginx(): Promise<RunningService> {
  return serveWithNginx(await nginxBinary(), {
    workers: 'auto',
    http(directory, listen) {
      const files = join(directory, 'files');
      mkdirSync(files);
      return `sendfile on;
        tcp_nopush on;
        keepalive_requests 1000000;
        client_max_body_size 0;
        server { ${listen} root ${files}; location / { dav_methods PUT; } }`;
    },
  });
}
