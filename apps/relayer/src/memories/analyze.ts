import { ApiError, type ErrorCode } from '@memrelay/protocol/errors';
import type { AnalyzeAccepted, AnalyzeRequest } from '@memrelay/protocol/llm';
import type { Caller } from '../auth/caller.ts';
import { hasDecryptCredential } from '../auth/decrypt-credential.ts';
import { hasPermission, requirePermission } from '../auth/require-permission.ts';
import type { RelayerContext } from '../context.ts';
import { hexToBytes } from '../db/hex.ts';
import { extractFacts, type OfferedMemory } from '../facts/extract-facts.ts';
import type { Fact } from '../facts/fact.ts';
import { localFacts } from '../facts/local-facts.ts';
import { passages, topics } from '../facts/passages.ts';
import type { RepeatKey } from '../http/repeat-key.ts';
import type { StageTimes } from '../http/stage-times.ts';
import type { ChatClient } from '../llm/chat-client.ts';
import { createUsageMeter } from '../llm/usage.ts';
import { acceptMemories } from './accept-memories.ts';
import { compareFacts, distinctFacts } from './compare-facts.ts';
import { type KnownMemory, memoriesNear } from './nearby.ts';

/** A long text has twelve passages; some are asked for twice, or in halves */
const maxCalls = 40;
const deadlineMs = 100_000;
/** Memories offered with a passage, and looked at for a topic of it */
const offeredMemories = 20;
const perTopic = 5;
/** A memory that a fact restates or replaces is among its nearest */
const perFact = 10;

/** Without these the facts are kept as they are, and the answer says so. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'decrypt_unavailable',
  'embedding_unavailable',
  'sidecar_unavailable',
]);

/**
 * Finds the facts of a text and accepts each that is not known as a memory of its own (spec, `POST /api/analyze`). What
 * is known is compared where the caller may read it: with READ and a credential. All facts are accepted in one commit, or
 * none is. Throws `ApiError`.
 */
export async function analyze(
  context: RelayerContext,
  caller: Caller,
  request: AnalyzeRequest,
  repeatKey: RepeatKey | undefined,
  stages: StageTimes,
): Promise<AnalyzeAccepted> {
  const { namespace, text, occurred_at: occurredAt } = request;
  const tag = context.tagOf(caller.account.origin, namespace);
  requirePermission(caller, 'write', tag);
  context.requireEmbedder();
  const accountId = hexToBytes(caller.account.accountId);
  if (repeatKey) {
    const write = { accountId, delegatePk: Buffer.from(caller.publicKey, 'hex'), ...repeatKey };
    const known = await context.idempotency.knownAnswer<AnalyzeAccepted>(write);
    if (known) return known;
  }
  // Said before a model is paid
  await context.backlog.admit(accountId, 0);
  const reads =
    hasPermission(caller, 'read', tag) && !caller.account.stale && hasDecryptCredential(context, caller);
  let unavailable = false;
  const near = async (
    texts: readonly string[],
    perText: number,
  ): Promise<readonly (readonly KnownMemory[])[]> => {
    if (!reads || unavailable) return texts.map(() => []);
    try {
      return (await memoriesNear(context, caller, namespace, texts, perText)).of;
    } catch (error) {
      if (!(error instanceof ApiError) || !passing.has(error.code)) throw error;
      context.loggers.memories.warn({ err: error }, 'facts are not compared with what is stored');
      unavailable = true;
      return texts.map(() => []);
    }
  };
  const usage = createUsageMeter(maxCalls);
  const { chat } = context;
  const found = chat
    ? await factsOfModel({ chat, usage, near, stages, text, occurredAt, log: context.loggers.memories })
    : localFacts(text, occurredAt);
  const facts = distinctFacts(found);
  const { kept, unchanged } = await stages.measure('compare', async () =>
    compareFacts(
      facts,
      await near(
        facts.map((fact) => fact.text),
        perFact,
      ),
    ),
  );
  return acceptMemories(
    context,
    caller,
    kept.map((fact) => ({
      text: fact.text,
      namespace,
      importance: fact.importance,
      occurredAt,
      supersedes: fact.replaces.flatMap(({ envelopeId }) => envelopeId ?? []),
    })),
    {
      repeatKey,
      stages,
      answerOf: (jobIds): AnalyzeAccepted => ({
        job_ids: jobIds,
        facts: kept.map((fact, i) => ({
          text: fact.text,
          id: jobIds[i]!,
          job_id: jobIds[i]!,
          importance: fact.importance,
          ...(fact.replaces.length > 0 ? { supersedes: fact.replaces.map(({ id }) => id) } : {}),
        })),
        fact_count: kept.length,
        status: 'pending',
        owner: caller.account.owner,
        ...(unchanged.length > 0
          ? {
              unchanged: unchanged.map(({ text: said, memory: { id, blobId } }) => ({
                text: said,
                id,
                ...(blobId ? { blob_id: blobId } : {}),
              })),
            }
          : {}),
        ...(unavailable ? { context: 'unavailable' } : {}),
        ...(chat ? { usage: usage.total() } : { mock: true }),
      }),
    },
  );
}

interface ModelRun {
  chat: ChatClient;
  usage: ReturnType<typeof createUsageMeter>;
  near(texts: readonly string[], perText: number): Promise<readonly (readonly KnownMemory[])[]>;
  stages: StageTimes;
  text: string;
  occurredAt: string | undefined;
  log: RelayerContext['loggers']['memories'];
}

async function factsOfModel({ chat, usage, near, stages, text, occurredAt, log }: ModelRun): Promise<Fact[]> {
  const deadline = performance.now() + deadlineMs;
  const parts = passages(text).map((passage) => ({ passage, topics: topics(passage.text) }));
  const answers = await stages.measure('context', () =>
    near(
      parts.flatMap((part) => part.topics),
      perTopic,
    ),
  );
  let next = 0;
  const questions = parts.map((part) => {
    next += part.topics.length;
    return { passage: part.passage, offered: offersOf(answers.slice(next - part.topics.length, next)) };
  });
  return stages.measure('extract', () => extractFacts(questions, { chat, usage, deadline, occurredAt, log }));
}

/** The nearest of each topic first, then the second of each, until there are enough. */
function offersOf(ofTopics: readonly (readonly KnownMemory[])[]): OfferedMemory[] {
  const chosen = new Map<string, OfferedMemory>();
  for (let rank = 0; rank < perTopic; rank++)
    for (const memories of ofTopics) {
      const memory = memories[rank];
      if (memory && chosen.size < offeredMemories) chosen.set(memory.id, memory);
    }
  return [...chosen.values()];
}
