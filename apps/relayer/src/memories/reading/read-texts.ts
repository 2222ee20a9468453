import type { Caller } from '../../accounts/caller.ts';
import type { Hold } from '../../base/concurrency/hold.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { StageTimes } from '../../base/logging/stage-times.ts';
import type { Match } from '../rows/match.ts';
import { type OpenedMemory, type OpenParts, openMemories } from './open-envelopes.ts';
import { type EnvelopeLocation, type EnvelopeSources, readEnvelopes } from './read-envelopes.ts';

/** The texts alone, as `readMemories`. */
export async function readTexts(
  ...request: Parameters<typeof readMemories>
): Promise<(string | undefined)[]> {
  return (await readMemories(...request)).map((opened) => opened?.text);
}

/**
 * Reads and opens a few memories of one namespace, as many as the caller has chosen room for. In order, undefined
 * where one cannot be read. Checks the credential even if there is nothing to read. Throws `ApiError`.
 */
export async function readMemories(
  parts: EnvelopeSources & OpenParts,
  caller: Caller,
  namespace: string,
  memories: readonly (EnvelopeLocation & Pick<Match, 'envelopeId' | 'size'>)[],
  { stages, hold }: { stages: StageTimes; hold: Hold },
): Promise<(OpenedMemory | undefined)[]> {
  const accountId = hexToBytes(caller.account.accountId);
  await stages.measure('turn', () => hold(memories.reduce((sum, { size }) => sum + size, 0)));
  const envelopes = await stages.measure('blobs', () => readEnvelopes(parts, accountId, memories));
  const matches = memories.map((match) => ({ match }));
  return stages.measure('open', () => openMemories(parts, caller, namespace, matches, envelopes));
}
