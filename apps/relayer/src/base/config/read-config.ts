import { parseEncKeyServers, parseEncServerConfigs, thresholdForm } from '@memrelay/protocol/enc-servers';
import { unknownLogTargets } from '@memrelay/protocol/log-filter';
import { type Network, networkDefaults } from '@memrelay/protocol/networks';
import {
  clientVariables,
  knownVariables,
  originalVariables,
  ownPrefixes,
} from '@memrelay/protocol/variables';
import { ConfigError } from './config-error.ts';
import { isEmbedded } from './database-url.ts';
import { traceWarnings } from './trace-variables.ts';
import { type Variables, variables } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** These usually end with a space that is part of them. */
const isPrefix = /^EMBEDDING_\w+_PREFIX$/;

/** The server's own secrets (security.md, "At rest"). */
export const secretNames = ['MEM_SERVER_SECRET', 'MEM_INDEX_KEY', 'MEM_WRITER_KEYS'] as const;

/**
 * Reads and checks the environment in one place. Throws `ConfigError` with every problem at once; `warnings`
 * describes settings without effect, such as unknown variables.
 */
export function readVariables(environment: Environment): { values: Variables; warnings: string[] } {
  const present = Object.fromEntries(
    Object.entries(environment)
      .map(([name, value]) => [name, (isPrefix.test(name) ? value : value?.trim()) ?? ''] as const)
      .filter(([, value]) => value.trim() !== ''),
  );
  const result = variables.safeParse(present);
  const problems = [
    ...(result.error?.issues ?? []).map((issue) => {
      const name = String(issue.path[0]);
      return present[name] === undefined ? `${name} is required` : `${name}: ${issue.message}`;
    }),
    ...missingSecrets(present),
    ...thresholdProblems(present),
  ];
  const hints = originalVariables(Object.keys(present)).map(
    ({ original, ours }) => `${original} is set but not read here: the variable is ${ours}`,
  );
  if (problems.length > 0 || !result.data) throw new ConfigError([...new Set([...problems, ...hints])]);
  const warnings = [
    ...unknownVariables(Object.keys(present)),
    ...hints,
    ...traceWarnings(present),
    ...unknownLogTargets(result.data.RUST_LOG).map(
      (target) => `RUST_LOG: ${target} is not a part of this server, so that it has no effect`,
    ),
  ];
  return { values: result.data, warnings };
}

/**
 * Missing secrets are generated at boot only for the embedded database (see secrets.ts). Anywhere else, a generated key
 * would be lost with the machine.
 */
function missingSecrets(present: Environment): string[] {
  const { DATABASE_URL: databaseUrl, MEM_DATA_DIR: dataDir } = present;
  const missing = secretNames.filter((name) => present[name] === undefined);
  if (missing.length === 0 || databaseUrl === undefined) return [];
  if (!isEmbedded(databaseUrl))
    return missing.map((name) => `${name} is required with this database: 32 random bytes as 64 hex digits`);
  return dataDir ? [] : ['MEM_DATA_DIR is required: generated keys are kept in its keys folder'];
}

/** The sidecar checks this too, for the localnet, whose key servers only the localnet knows. */
function thresholdProblems(present: Environment): string[] {
  const { ENC_SERVER_CONFIGS: configs, ENC_KEY_SERVERS: ids, ENC_THRESHOLD: threshold } = present;
  const network = present.CHAIN_NETWORK ?? 'mainnet';
  const servers = configs
    ? parseEncServerConfigs(configs)
    : (ids ? parseEncKeyServers(ids) : networkDefaults[network as Network]?.keyServers)?.map(() => ({
        weight: 1,
      }));
  const total = servers?.reduce((sum, { weight }) => sum + weight, 0) ?? 0;
  return total > 0 && Number(threshold) > total && Number(threshold) <= 254
    ? [`ENC_THRESHOLD ${thresholdForm(total)}`]
    : [];
}

function unknownVariables(names: string[]): string[] {
  return names
    .filter((name) => ownPrefixes.some((prefix) => name.startsWith(prefix)))
    .filter((name) => !knownVariables.includes(name))
    .map((name) => {
      const near = nearest(
        name,
        knownVariables.filter((known) => !clientVariables.includes(known as never)),
      );
      return `${name} is not a known variable${near ? `; did you mean ${near}?` : ''}`;
    });
}

function nearest(name: string, candidates: readonly string[]): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(name, candidate);
    if (distance <= 4 && distance < (best?.distance ?? 5)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
