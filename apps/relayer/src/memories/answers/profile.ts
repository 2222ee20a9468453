import type { FactSource, ProfileFact, ProfileRequest, ProfileResponse } from '@memrelay/protocol/profile';
import type { Caller } from '../../accounts/caller.ts';
import { requireDecryptCredential } from '../../accounts/decrypt-credential.ts';
import { requireFreshAccount } from '../../accounts/require-permission.ts';
import { createPauses } from '../../base/concurrency/pauses.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { localFacts } from '../../language/facts/local-facts.ts';
import { wordsKey } from '../../language/facts/same-words.ts';
import { readTexts } from '../reading/read-texts.ts';
import { type RecallParts, type RecallRun, recall, requireReadable } from '../recall/recall.ts';
import { readImportant } from '../rows/important-rows.ts';

/** A longer sentence is no short fact */
const factCharacters = 300;
/** Of a longer text, only the beginning is split into sentences */
const textCharacters = 20_000;
/** Statements taken from one memory: a long note must not fill the profile */
const perMemory = 3;
/** Memories that are read in addition to the facts wanted, because some state nothing, or the same */
const spare = 10;
/** Bytes of a memory's envelope: longer texts are notes rather than facts */
const memoryBytes = 64 * 1024;

/** A memory that may state facts. */
interface Source {
  text: string;
  source: FactSource;
}

/**
 * Returns what is known about a subject or, without one, the most important facts of a namespace (decisions.md,
 * `POST /api/profile`). A fact is one sentence that states something, such as those that analyze stores; memories that
 * another one replaces state nothing any more. No model is called. Throws `ApiError`.
 */
export async function profile(
  parts: RecallParts,
  caller: Caller,
  request: ProfileRequest,
  run: RecallRun,
): Promise<ProfileResponse> {
  const { namespace, subject, limit } = request;
  const { sources, dropped } = await (subject === undefined
    ? importantMemories(parts, caller, request, run)
    : memoriesAbout(parts, caller, { ...request, subject }, run));
  const facts = await factsOf(sources, subject, limit);
  return {
    namespace,
    facts,
    total: facts.length,
    ...(dropped > 0 ? { dropped_count: dropped } : {}),
    ...(parts.embedder.mock && subject !== undefined ? { mock: true as const } : {}),
  };
}

async function memoriesAbout(
  parts: RecallParts,
  caller: Caller,
  { subject, namespace, limit, include_pending }: ProfileRequest & { subject: string },
  run: RecallRun,
): Promise<{ sources: Source[]; dropped: number }> {
  const recalled = await recall(
    parts,
    caller,
    { query: subject, namespace, limit: limit + spare, include_pending, explain: false },
    run,
  );
  const sources = recalled.results.flatMap(({ id, blob_id, created_at, text, superseded_by: successor }) =>
    successor ? [] : [{ text, source: { id, ...(blob_id ? { blob_id } : {}), created_at: created_at! } }],
  );
  return { sources, dropped: recalled.dropped_count ?? 0 };
}

async function importantMemories(
  parts: RecallParts,
  caller: Caller,
  { namespace, limit, include_pending: includePending }: ProfileRequest,
  run: RecallRun,
): Promise<{ sources: Source[]; dropped: number }> {
  requireReadable(parts, caller, namespace);
  requireFreshAccount(caller);
  requireDecryptCredential(parts, caller);
  const accountId = hexToBytes(caller.account.accountId);
  const memories = await run.stages.measure('search', () =>
    readImportant(parts.db, { accountId, namespace, includePending }, limit + spare, memoryBytes),
  );
  const texts = await readTexts(parts, caller, namespace, memories, run);
  const sources = memories.flatMap(({ id, blobId, createdAt }, i): Source[] => {
    const text = texts[i];
    const source = { id, ...(blobId ? { blob_id: blobId } : {}), created_at: createdAt.toISOString() };
    return text === undefined ? [] : [{ text, source }];
  });
  return { sources, dropped: memories.length - sources.length };
}

/** The statements of these memories, each once, with all memories that state it. */
export async function factsOf(
  memories: readonly Source[],
  subject: string | undefined,
  limit: number,
): Promise<ProfileFact[]> {
  const pause = createPauses();
  const facts = new Map<string, ProfileFact>();
  for (const { text, source } of memories) {
    await pause();
    for (const statement of statementsOf(text, subject)) {
      const key = wordsKey(statement);
      const known = facts.get(key);
      if (!known) facts.set(key, { text: statement, sources: [source] });
      else if (!known.sources.includes(source)) known.sources.push(source);
    }
  }
  return [...facts.values()].slice(0, limit);
}

/** Of a text with several statements, those that name the subject count, else the first. */
function statementsOf(text: string, subject: string | undefined): string[] {
  const statements = localFacts(text.slice(0, textCharacters).toWellFormed(), undefined)
    .map((fact) => fact.text)
    .filter((statement) => statement.length <= factCharacters && !/[?？]\s*$/u.test(statement));
  if (subject === undefined || statements.length < 2) return statements.slice(0, perMemory);
  const words = wordsOf(subject);
  const about = statements.filter((statement) => wordsOf(statement).some((word) => words.includes(word)));
  return (about.length > 0 ? about : statements.slice(0, 1)).slice(0, perMemory);
}

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]{2,}/gu) ?? [];
