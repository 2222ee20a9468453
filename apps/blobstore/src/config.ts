import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultPorts } from '@memrelay/protocol/ports';
import type { BlobStoreOptions } from './blob-store.ts';
import { defaultLimits } from './blob-store.ts';
import { defaultShards } from './registry/open-registry.ts';

/** All that is wrong with the settings, one line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Record<string, string | undefined>;

/** Each setting as a flag; the variable of the same meaning is `BLOBSTORE_` and the name in capitals. */
const flagNames = [
  'bind-address',
  'port',
  'data-dir',
  'shards',
  'epoch-duration',
  'chain-url',
  'node-key-file',
  'max-body-size',
  'publisher-max-concurrent-requests',
  'publisher-max-buffer-size',
  'aggregator-max-concurrent-requests',
  'aggregator-max-buffer-size',
] as const;

/** A secret, so there is no flag for it: command lines are visible to other users. */
const walletKeyVariable = 'BLOBSTORE_WALLET_KEY';

type FlagName = (typeof flagNames)[number];

export function variableOf(flag: FlagName): string {
  return `BLOBSTORE_${flag.toUpperCase().replaceAll('-', '_')}`;
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Milliseconds of a duration such as `1d`, `12h`, `30m`, `5s` or `200ms`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^([1-9]\d{0,8})(ms|s|m|h|d|w)$/.exec(text);
  return match === null ? undefined : Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
}

interface Setting {
  value: string;
  /** How the person gave it, for the message when it is wrong */
  source: string;
}

function settingsOf(args: string[], env: Environment): Map<FlagName, Setting> {
  const options = Object.fromEntries(flagNames.map((name) => [name, { type: 'string' as const }]));
  let values: Record<string, unknown>;
  try {
    ({ values } = parseArgs({ args, options, strict: true }));
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
  const settings = new Map<FlagName, Setting>();
  for (const flag of flagNames) {
    const given = values[flag];
    const variable = variableOf(flag);
    const fromEnv = env[variable];
    if (typeof given === 'string') settings.set(flag, { value: given, source: `--${flag}` });
    else if (fromEnv !== undefined && fromEnv !== '')
      settings.set(flag, { value: fromEnv, source: variable });
  }
  return settings;
}

/**
 * The options of the process from its flags and environment, flags first. Throws `ConfigError` with every wrong
 * setting by name.
 */
export function readConfig(args: string[], env: Environment): Omit<BlobStoreOptions, 'logger'> {
  const settings = settingsOf(args, env);
  const problems: string[] = [];

  function numberOf(flag: FlagName, fallback: number, minimum: number, maximum: number): number {
    const setting = settings.get(flag);
    if (setting === undefined) return fallback;
    const number = /^\d{1,15}$/.test(setting.value) ? Number(setting.value) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    problems.push(`${setting.source} must be a whole number from ${minimum} to ${maximum}`);
    return fallback;
  }

  function epochDuration(): number | undefined {
    const setting = settings.get('epoch-duration');
    if (setting === undefined) return undefined;
    const duration = parseDuration(setting.value);
    if (duration === undefined) problems.push(`${setting.source} must be a duration such as 1d, 12h or 30m`);
    return duration;
  }

  function bindAddress(): { host?: string; port: number } {
    const port = numberOf('port', defaultPorts.blobstore, 0, 65_535);
    const setting = settings.get('bind-address');
    if (setting === undefined) return { port };
    const match = /^(?:\[([\da-fA-F:]+)\]|([^:]+)):(\d{1,5})$/.exec(setting.value);
    const host = match?.[1] ?? match?.[2];
    if (host === undefined || Number(match?.[3]) > 65_535) {
      problems.push(`${setting.source} must be an address and a port, such as 127.0.0.1:31415`);
      return { port };
    }
    return { host, port: settings.has('port') ? port : Number(match?.[3]) };
  }

  function chain(): BlobStoreOptions['chain'] {
    const url = settings.get('chain-url');
    if (url === undefined) return undefined;
    if (!URL.canParse(url.value)) problems.push(`${url.source} must be a URL`);
    const walletKey = env[walletKeyVariable];
    if (!walletKey) problems.push(`${walletKeyVariable} must hold the publisher's key (suiprivkey1…)`);
    const nodeKeyFile = settings.get('node-key-file');
    if (nodeKeyFile === undefined) {
      problems.push('BLOBSTORE_NODE_KEY_FILE (--node-key-file) must name the file with the storage node key');
    }
    return { url: url.value, walletKey: walletKey ?? '', nodeKeyFile: nodeKeyFile?.value ?? '' };
  }

  const dataDir = settings.get('data-dir');
  if (dataDir === undefined)
    problems.push('BLOBSTORE_DATA_DIR (--data-dir) must name the directory for blobs');
  const { publisher, aggregator, maxBodyBytes } = defaultLimits;
  const durationMs = epochDuration();
  const chainOptions = chain();
  const options = {
    ...bindAddress(),
    dataDir: resolve(dataDir?.value ?? '.'),
    ...(settings.has('shards') ? { nShards: numberOf('shards', defaultShards, 4, 65_535) } : {}),
    ...(chainOptions === undefined ? {} : { chain: chainOptions }),
    ...(durationMs === undefined ? {} : { epochDurationMs: durationMs }),
    limits: {
      maxBodyBytes: numberOf('max-body-size', maxBodyBytes / 1024, 1, 2 ** 30) * 1024,
      publisher: {
        concurrent: numberOf('publisher-max-concurrent-requests', publisher.concurrent, 1, 1e6),
        buffered: numberOf('publisher-max-buffer-size', publisher.buffered, 1, 1e6),
      },
      aggregator: {
        concurrent: numberOf('aggregator-max-concurrent-requests', aggregator.concurrent, 1, 1e6),
        buffered: numberOf('aggregator-max-buffer-size', aggregator.buffered, 1, 1e6),
      },
    },
  };
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return options;
}
