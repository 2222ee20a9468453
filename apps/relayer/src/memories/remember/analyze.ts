import { contextIn } from '@memrelay/protocol/context-fields';
import type { AnalyzeAccepted, AnalyzePreview, AnalyzeRequest } from '@memrelay/protocol/llm';
import type { Logger } from 'pino';
import type { Caller } from '../../accounts/caller.ts';
import { hasDecryptCredential } from '../../accounts/decrypt-credential.ts';
import { hasPermission, requirePermission } from '../../accounts/require-permission.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { StageTimes } from '../../base/logging/stage-times.ts';
import type { Idempotency } from '../../jobs/queue/idempotency.ts';
import type { RepeatKey } from '../../jobs/queue/repeat-key.ts';
import { extractFacts } from '../../language/facts/extract-facts.ts';
import type { Fact } from '../../language/facts/fact.ts';
import { localFacts } from '../../language/facts/local-facts.ts';
import { passages, topics } from '../../language/facts/passages.ts';
import type { ChatClient } from '../../language/llm/chat-client.ts';
import { createUsageMeter, type UsageMeter } from '../../language/llm/usage.ts';
import {
  createNeighbours,
  type Neighbour,
  type NeighbourParts,
  type Neighbours,
} from '../recall/neighbours.ts';
import { type AcceptParts, acceptMemories } from './accept-memories.ts';
import { compareFacts, distinctFacts, type NewFact } from './compare-facts.ts';

/** A long text has twelve passages. Some calls are retried, or split into two */
const maxCalls = 40;
const deadlineMs = 100_000;
/** Memories offered with a passage, and considered for one of its topics */
const offeredMemories = 20;
const perTopic = 5;
/** Memories compared with each fact: one that it restates or supersedes is among the nearest */
const perFact = 10;

/**
 * Texts with the same words are nearer than this: case, punctuation and articles change a vector little. Only memories
 * that are this near are opened to compare words.
 */
const sameWithin = 0.25;

export interface AnalyzeParts extends AcceptParts, NeighbourParts {
  db: Db;
  /** Undefined if no chat model is configured; each sentence is then a fact */
  chat: ChatClient | undefined;
  idempotency: Pick<Idempotency, 'rowFor' | 'earlierAnswer' | 'knownAnswer'>;
}

/**
 * Extracts the facts of a text and stores each new one as a memory (spec, `POST /api/analyze`). They are compared with
 * stored memories if the caller may read them: with READ and a credential. All facts are accepted in one commit, or
 * none. `onStored` gets their number. A dry run only returns them. Throws `ApiError`.
 */
export async function analyze(
  parts: AnalyzeParts,
  caller: Caller,
  request: AnalyzeRequest,
  repeatKey: RepeatKey | undefined,
  stages: StageTimes,
  onStored: (facts: number) => Promise<void> = async () => undefined,
): Promise<AnalyzeAccepted | AnalyzePreview> {
  const { namespace, text, occurred_at: occurredAt, dry_run: isDryRun } = request;
  const tag = parts.tagOf(caller.account.origin, namespace);
  requirePermission(caller, 'write', tag);
  parts.requireEmbedder();
  const accountId = hexToBytes(caller.account.accountId);
  if (repeatKey && !isDryRun) {
    const write = { accountId, delegatePk: Buffer.from(caller.publicKey, 'hex'), ...repeatKey };
    const known = await parts.idempotency.knownAnswer<AnalyzeAccepted>(write);
    if (known) return known;
  }
  // Checked before paying for model calls
  await parts.backlog.admit(accountId, 0);
  await parts.storageBudget.admit(accountId, 0);
  const reads =
    hasPermission(caller, 'read', tag) && !caller.account.stale && hasDecryptCredential(parts, caller);
  const neighbours = createNeighbours(parts, caller, namespace, reads);
  const usage = createUsageMeter(maxCalls);
  const { chat } = parts;
  const found = chat
    ? await factsOfModel({
        chat,
        usage,
        accountId: caller.account.accountId,
        neighbours,
        stages,
        text,
        occurredAt,
        log: parts.loggers.memories,
      })
    : localFacts(text, occurredAt);
  const facts = distinctFacts(found);
  const { kept, unchanged } = await stages.measure('compare', async () => {
    const texts = facts.map((fact) => fact.text);
    const near = await neighbours.near(texts, perFact);
    await neighbours.open(near.flat().flatMap(({ id, distance }) => (distance < sameWithin ? id : [])));
    return compareFacts(
      facts,
      near.map((each) => each.flatMap(({ id }) => neighbours.opened.get(id) ?? [])),
    );
  });
  const factOf = ({ text: said, importance, replaces }: NewFact) => ({
    text: said,
    importance,
    ...(replaces.length > 0 ? { supersedes: replaces.map(({ id }) => id) } : {}),
  });
  const rest = (): Omit<AnalyzeAccepted, 'job_ids' | 'facts' | 'status'> => ({
    fact_count: kept.length,
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
    ...(neighbours.unavailable ? { context: 'unavailable' } : {}),
    ...(chat ? { usage: usage.total() } : { mock: true }),
  });
  if (isDryRun) return { dry_run: true, facts: kept.map(factOf), ...rest() };
  const accepted = await acceptMemories(
    parts,
    caller,
    kept.map((fact) => ({
      text: fact.text,
      namespace,
      importance: fact.importance,
      occurredAt,
      ...contextIn(request),
      supersedes: fact.replaces.flatMap(({ envelopeId }) => envelopeId ?? []),
    })),
    {
      repeatKey,
      stages,
      answerOf: (jobIds): AnalyzeAccepted => ({
        job_ids: jobIds,
        facts: kept.map((fact, i) => ({ ...factOf(fact), id: jobIds[i]!, job_id: jobIds[i]! })),
        status: 'pending',
        ...rest(),
      }),
    },
  );
  await onStored(accepted.fact_count);
  return accepted;
}

interface ModelRun {
  chat: ChatClient;
  usage: UsageMeter;
  accountId: string;
  neighbours: Neighbours;
  stages: StageTimes;
  text: string;
  occurredAt: string | undefined;
  log: Logger;
}

async function factsOfModel(run: ModelRun): Promise<Fact[]> {
  const { neighbours, stages, text, ...extraction } = run;
  const deadline = performance.now() + deadlineMs;
  const parts = passages(text).map((passage) => ({ passage, topics: topics(passage.text) }));
  const questions = await stages.measure('context', async () => {
    const near = await neighbours.near(
      parts.flatMap((part) => part.topics),
      perTopic,
    );
    let next = 0;
    const chosen = parts.map((part) => {
      next += part.topics.length;
      return nearestOf(near.slice(next - part.topics.length, next));
    });
    await neighbours.open(chosen.flat());
    return parts.map(({ passage }, i) => ({
      passage,
      offered: chosen[i]!.flatMap((id) => neighbours.opened.get(id) ?? []),
    }));
  });
  return stages.measure('extract', () => extractFacts(questions, { ...extraction, deadline }));
}

/** The nearest memory of each topic first, then the second of each, until there are enough. */
function nearestOf(ofTopics: readonly (readonly Neighbour[])[]): string[] {
  const chosen = new Set<string>();
  for (let rank = 0; rank < perTopic; rank++)
    for (const near of ofTopics) {
      const neighbour = near[rank];
      if (neighbour && chosen.size < offeredMemories) chosen.add(neighbour.id);
    }
  return [...chosen];
}
