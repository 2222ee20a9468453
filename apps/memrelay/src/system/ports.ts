import { createServer } from 'node:net';
import { defaultPorts } from '@memrelay/protocol/ports';

export interface SystemPorts {
  relayer: number;
  sidecar: number;
  localnet: number;
  blobstore: number;
  dashboard: number;
}

/** A port that cannot be used; the message names the variable that moves it. */
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

/** The ports of the environment, else the defaults. Throws `PortTakenError` on one that is no port. */
export function portsOf(environment: NodeJS.ProcessEnv): SystemPorts {
  const port = (name: keyof SystemPorts): number => {
    const text = environment[variables[name]];
    if (!text) return defaultPorts[name];
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

/** Throws `PortTakenError` naming every port of ours that something else listens on. */
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
