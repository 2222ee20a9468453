import { createServer } from 'node:net';
import { defaultPorts } from '@memrelay/protocol/ports';
import { replaceFile } from '@memrelay/protocol/secret-file-node';
import { z } from 'zod';
import { readIfThere } from './secret-file.ts';

export interface SystemPorts {
  relayer: number;
  sidecar: number;
  localnet: number;
  blobstore: number;
  dashboard: number;
}

/** A port cannot be used; the message names the variable that sets it. */
export class PortTakenError extends Error {
  override name = 'PortTakenError';
}

const variables: Record<keyof SystemPorts, string> = {
  relayer: 'PORT',
  sidecar: 'SIDECAR_URL',
  localnet: 'LOCALNET_PORT',
  blobstore: 'BLOBSTORE_PORT',
  dashboard: 'DASHBOARD_PORT',
};

/**
 * The ports from the environment, else those of the earlier start, else the defaults. Throws `PortTakenError` for an
 * invalid port.
 */
export function portsOf(environment: NodeJS.ProcessEnv, remembered: Partial<SystemPorts> = {}): SystemPorts {
  const port = (name: keyof SystemPorts): number => {
    const text = environment[variables[name]];
    if (!text) return remembered[name] ?? defaultPorts[name];
    const value = Number(name === 'sidecar' ? URL.parse(text)?.port || defaultPorts.sidecar : text);
    if (Number.isInteger(value) && value > 0 && value < 65_536) return value;
    throw new PortTakenError(
      `${variables[name]} must be ${name === 'sidecar' ? 'a URL with a port' : 'a port, 1 to 65535'}`,
    );
  };
  return {
    relayer: port('relayer'),
    sidecar: port('sidecar'),
    localnet: port('localnet'),
    blobstore: port('blobstore'),
    dashboard: port('dashboard'),
  };
}

const port = z.int().min(1).max(65_535).optional();
const rememberedPorts = z.object({
  relayer: port,
  sidecar: port,
  localnet: port,
  blobstore: port,
  dashboard: port,
});

/** Reads the ports that were saved because they differ from the defaults. A damaged file counts as empty. */
export async function readPorts(path: string): Promise<Partial<SystemPorts>> {
  try {
    const { data = {} } = rememberedPorts.safeParse(JSON.parse((await readIfThere(path)) ?? '{}'));
    return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Saves the ports that are not the defaults, for the next start. */
export async function rememberPorts(path: string, ports: SystemPorts): Promise<void> {
  const changed = Object.entries(ports).filter(
    ([name, value]) => value !== defaultPorts[name as keyof SystemPorts],
  );
  const text = `${JSON.stringify(Object.fromEntries(changed))}\n`;
  const before = await readIfThere(path);
  if (text === (before ?? '{}\n')) return;
  await replaceFile(path, text, 0o600);
}

/** Throws a `PortTakenError` that lists all ports on which another process listens. */
export async function requireFreePorts(ports: SystemPorts): Promise<void> {
  const needed = ['relayer', 'sidecar', 'localnet', 'blobstore', 'dashboard'] as const;
  const free = await Promise.all(needed.map((name) => isFree(ports[name])));
  const taken = needed.filter((_, i) => !free[i]);
  if (taken.length === 0) return;
  throw new PortTakenError(
    taken
      .map((name) => {
        const example = name === 'sidecar' ? 'http://127.0.0.1:9900' : String(ports[name] + 1);
        return `port ${ports[name]} for the ${name} is taken; set ${variables[name]} to another one, e.g. ${variables[name]}=${example}`;
      })
      .join('\n'),
  );
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .once('listening', () => probe.close(() => resolve(true)));
    probe.listen(port, '127.0.0.1');
  });
}
