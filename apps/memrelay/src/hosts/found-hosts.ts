import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import type { Host, Machine } from 'memrelay-mcp/hosts/host';
import { hosts } from 'memrelay-mcp/hosts/known-hosts';

/** The hosts that leave traces on this machine. */
export function foundHosts(machine: Machine): Host[] {
  const { dirname } = machine.platform === 'win32' ? win32 : posix;
  return hosts.filter((host) =>
    (host.traces?.(machine) ?? [dirname(host.configPath(machine))]).some((path) => existsSync(path)),
  );
}
