import { ApiError } from '@memrelay/protocol/errors';
import type { RememberAccepted } from '@memrelay/protocol/memories';
import type { ReplaceRequest } from '@memrelay/protocol/single-memory';
import type { Caller } from '../../accounts/caller.ts';
import { requirePermission } from '../../accounts/require-permission.ts';
import type { Hold } from '../../base/concurrency/hold.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { StageTimes } from '../../base/logging/stage-times.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Idempotency } from '../../jobs/queue/idempotency.ts';
import type { RepeatKey } from '../../jobs/queue/repeat-key.ts';
import { type AcceptParts, acceptMemories } from '../remember/accept-memories.ts';
import { findMemory } from './find-memory.ts';
import { type KeepParts, keptFields } from './kept-fields.ts';

export interface ReplaceParts extends AcceptParts, KeepParts {
  idempotency: Pick<Idempotency, 'rowFor' | 'earlierAnswer' | 'knownAnswer'>;
}

/**
 * Accepts a text that supersedes a memory, in the same namespace (decisions.md, `POST /api/memories/:id/replace`). A
 * memory may be replaced several times: each text is kept and is a later version of it. Throws `memory_not_found`,
 * `insufficient_scope`, `decrypt_credential_required` if its context fields have to be read, and `memory_not_replaceable` for bytes that are not an envelope.
 */
export async function replaceMemory(
  parts: ReplaceParts,
  caller: Caller,
  { id, text, namespace, ...request }: ReplaceRequest & { id: string },
  repeatKey: RepeatKey | undefined,
  { stages, hold }: { stages: StageTimes; hold: Hold },
): Promise<RememberAccepted> {
  // The memory may be forgotten between a request and its repetition
  const known = repeatKey && (await earlierAnswer(parts, caller, repeatKey));
  if (known) return known;
  const memory = await findMemory(parts, caller, id, namespace, ['read', 'write']);
  requirePermission(caller, 'write', parts.tagOf(caller.account.origin, memory.namespace));
  if (!memory.envelopeId) throw new ApiError('memory_not_replaceable');
  const fields = await keptFields(parts, caller, memory, request, { stages, hold });
  const replacement = { ...fields, text, namespace: memory.namespace, supersedes: [memory.envelopeId] };
  return acceptMemories(parts, caller, [replacement], {
    repeatKey,
    stages,
    answerOf: ([jobId]): RememberAccepted => ({ job_id: jobId!, status: 'running' }),
  });
}

function earlierAnswer(
  { idempotency }: ReplaceParts,
  caller: Caller,
  repeatKey: RepeatKey,
): Promise<RememberAccepted | undefined> {
  return idempotency.knownAnswer<RememberAccepted>({
    accountId: hexToBytes(caller.account.accountId),
    delegatePk: Buffer.from(caller.publicKey, 'hex'),
    ...repeatKey,
  });
}

/** A key covers the memory, too: its id is in the path, not in the body. */
export function withMemoryId(repeatKey: RepeatKey | undefined, id: string): RepeatKey | undefined {
  if (!repeatKey) return undefined;
  const bodySha256 = sha256(Buffer.concat([repeatKey.bodySha256, Buffer.from(id.toLowerCase())]));
  return { ...repeatKey, bodySha256 };
}
