import { type ContextFields, contextIn, type SealedContext } from '@memrelay/protocol/context-fields';
import { ApiError } from '@memrelay/protocol/errors';
import type { ReplaceRequest } from '@memrelay/protocol/single-memory';
import type { Caller } from '../../accounts/caller.ts';
import { hasDecryptCredential } from '../../accounts/decrypt-credential.ts';
import { hasPermission } from '../../accounts/require-permission.ts';
import type { Hold } from '../../base/concurrency/hold.ts';
import type { StageTimes } from '../../base/logging/stage-times.ts';
import type { OpenParts } from '../reading/open-envelopes.ts';
import type { EnvelopeSources } from '../reading/read-envelopes.ts';
import { readMemories } from '../reading/read-texts.ts';
import type { ScopeParts } from '../reading/scope-namespaces.ts';
import type { NamedMemory } from '../rows/version-rows.ts';

export type KeepParts = ScopeParts & EnvelopeSources & OpenParts;

/** `happened_at` belongs to what the replaced text says. */
const keptNames = ['session', 'speaker', 'tags', 'metadata', 'expires_at'] as const;

/**
 * The context fields of a text that replaces a memory: those of the request, and the memory's own unless the request has them or
 * drops them with null. They are sealed with the memory's text, so a caller who may read and sends a credential is
 * needed for a memory that has them. Without one, a memory whose row shows no other field than those of the request is
 * replaced, and loses its metadata. Throws `decrypt_credential_required`, and `store_unavailable` if it cannot be read.
 */
export async function keptFields(
  parts: KeepParts,
  caller: Caller,
  memory: NamedMemory,
  request: Partial<ReplaceRequest>,
  run: { stages: StageTimes; hold: Hold },
): Promise<ContextFields> {
  const open = keptNames.filter((name) => request[name] === undefined);
  const own = contextIn(request) ?? {};
  if (open.length === 0) return own;
  const mayRead =
    hasDecryptCredential(parts, caller) &&
    hasPermission(caller, 'read', parts.tagOf(caller.account.origin, memory.namespace));
  const [opened] =
    mayRead && memory.state !== 'lost'
      ? await readMemories(parts, caller, memory.namespace, [memory], run)
      : [];
  const shown = shownFields(memory);
  const unread = open.some((name) => name !== 'metadata' && name !== 'expires_at' && name in shown);
  if (!opened && unread) throw new ApiError(mayRead ? 'store_unavailable' : 'decrypt_credential_required');
  const before: SealedContext = opened ? (opened.context ?? {}) : shown;
  const kept = Object.fromEntries(open.flatMap((name) => (name in before ? [[name, before[name]]] : [])));
  return { ...kept, ...own };
}

/** Which fields the row shows; the values of all but `expires_at` are unknown. */
function shownFields({ fields: { context, tags, expiresAt } }: NamedMemory): SealedContext {
  return {
    ...(context?.session ? { session: '' } : {}),
    ...(context?.speaker ? { speaker: '' } : {}),
    ...(tags ? { tags: [] } : {}),
    ...(expiresAt ? { expires_at: expiresAt.toISOString() } : {}),
  };
}
