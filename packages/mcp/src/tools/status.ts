import { MemRelayError } from '@memrelay/sdk/errors';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Stats } from '@memrelay/sdk/types';
import { z } from 'zod';
import { countedMemories, shownTime } from './hits.ts';
import { quoted } from './quoted.ts';
import { defineTool } from './tool-definition.ts';

/** Maximum number of namespaces listed */
const namedNamespaces = 50;

const input = z.strictObject({});

const output = z.object({
  account_id: z.string(),
  owner: z.string(),
  active: z.boolean(),
  key: z.object({
    public_key: z.string(),
    label: z.string(),
    rights: z.array(z.string()),
    all_namespaces: z.boolean(),
    expires_at: z.string().optional(),
  }),
  relayer: z.object({
    url: z.string().optional(),
    version: z.string(),
    api_version: z.string(),
    mode: z.string(),
  }),
  memories: z.int().optional(),
  namespaces: z.array(z.object({ name: z.string(), memories: z.int() })).optional(),
  jobs: z.object({ running: z.int(), failed: z.int() }).optional(),
});
type Output = z.input<typeof output>;

export const status = defineTool({
  name: 'mem_status',
  title: 'Memory status',
  description:
    'Reports whose memory this is and whether it works: account, delegate key and its rights, namespaces with their number of memories, relayer and versions, running and failed writes. Call it when another memory tool fails, or when the user asks.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(_, { memory, signal, relayerUrl }) {
    const [account, health, stats] = await Promise.all([
      memory.account({ signal }),
      memory.health({ signal }),
      readableStats(memory, signal),
    ]);
    const { label, scope, expiresAt } = account.delegate;
    const structured: Output = {
      account_id: account.accountId,
      owner: account.owner,
      active: account.active,
      key: {
        public_key: memory.publicKey,
        label,
        rights: scope.perms,
        all_namespaces: scope.allNamespaces,
        ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      },
      relayer: {
        ...(relayerUrl === undefined ? {} : { url: relayerUrl }),
        version: health.relayerVersion,
        api_version: health.apiVersion,
        mode: health.mode,
      },
      ...(stats ? numbersOf(stats) : {}),
    };
    return { lines: [...whoLines(structured), ...numberLines(structured)], structured };
  },
});

/** Undefined for a write-only key, which may read account and health but no counts. */
async function readableStats(memory: MemRelay, signal: AbortSignal): Promise<Stats | undefined> {
  try {
    return await memory.stats({ signal });
  } catch (error) {
    if (error instanceof MemRelayError && error.code === 'insufficient_scope') return undefined;
    throw error;
  }
}

function numbersOf({ memoryCount, namespaces, jobs }: Stats): Partial<Output> {
  return {
    memories: memoryCount,
    namespaces: namespaces
      .slice(0, namedNamespaces)
      .map(({ namespace, memoryCount }) => ({ name: namespace, memories: memoryCount })),
    jobs: { running: jobs.running, failed: jobs.failed },
  };
}

function whoLines({ account_id, owner, active, key, relayer }: Output): string[] {
  const end = key.expires_at === undefined ? 'never expires' : `expires ${shownTime(key.expires_at)}`;
  const where = key.all_namespaces ? 'in all namespaces' : 'in some namespaces';
  return [
    `Account ${account_id} of ${owner}, ${active ? 'active' : 'deactivated'}.`,
    `Key ${key.public_key}, label ${quoted(key.label)}: may ${key.rights.join(', ')} ${where}, ${end}.`,
    `Relayer ${relayer.url === undefined ? '' : `${quoted(relayer.url)}, `}version ${relayer.version}, API ${relayer.api_version}, mode ${relayer.mode}.`,
  ];
}

function numberLines({ memories, namespaces = [], jobs }: Output): string[] {
  if (jobs === undefined) return ['This key has no read permission, so counts are not available.'];
  const named = namespaces.map(({ name, memories }) => `${quoted(name)} (${memories})`);
  return [
    `${countedMemories(memories ?? 0)}${named.length > 0 ? ` in ${named.join(', ')}` : ''}.`,
    `Writes: ${jobs.running} running, ${jobs.failed} failed.`,
  ];
}
