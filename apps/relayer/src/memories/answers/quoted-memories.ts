import { embeddingChunks } from '@memrelay/protocol/embedding-chunks';
import type { MemoryHit } from '@memrelay/protocol/memories';
import { createPauses } from '../../base/concurrency/pauses.ts';
import { dataDocument } from '../../language/llm/data-document.ts';

/** Maximum size of all memories sent with a question, in bytes; about 15,000 tokens */
const documentBytes = 60_000;

/**
 * Builds the document for the model from the question and the memories. No memory text can break out of its field. A
 * long memory is shortened to the part that shares the most words with the question, and the lowest-ranked memories are
 * left out if there is no room. `offered` is the number of memories in the document.
 */
export async function quotedMemories(
  question: string,
  hits: readonly MemoryHit[],
): Promise<{ document: string; offered: number }> {
  const pause = createPauses();
  const words = wordsOf(question);
  const labels = new Map(hits.map(({ id }, i) => [id, `m${i + 1}`]));
  const memories: object[] = [];
  let room = documentBytes;
  const partOf = async (text: string): Promise<string> => {
    await pause();
    const part = await bestPart(text, words, pause);
    room -= Buffer.byteLength(part);
    return part;
  };
  for (const { id, text, created_at: stored, superseded_by: replacedBy, context } of hits) {
    const part = await partOf(text);
    const before = await inTurn(context?.before, partOf);
    const after = await inTurn(context?.after, partOf);
    if (room < 0 && memories.length > 0) break;
    const replacement = replacedBy && labels.get(replacedBy);
    memories.push({
      id: labels.get(id),
      text: part,
      ...(part.length < text.length ? { cut: true } : {}),
      ...(before.length > 0 ? { before } : {}),
      ...(after.length > 0 ? { after } : {}),
      ...(stored ? { stored: stored.slice(0, 10) } : {}),
      ...(replacement ? { replaced_by: replacement } : {}),
    });
  }
  return { document: dataDocument({ question, memories }), offered: memories.length };
}

async function inTurn(
  memories: readonly { text: string }[] = [],
  partOf: (text: string) => Promise<string>,
): Promise<string[]> {
  const parts: string[] = [];
  for (const { text } of memories) parts.push(await partOf(text));
  return parts;
}

async function bestPart(
  text: string,
  words: ReadonlySet<string>,
  pause: () => Promise<void> | undefined,
): Promise<string> {
  const parts = embeddingChunks(text);
  let best = { part: parts[0]!, shared: -1 };
  for (const part of parts) {
    await pause();
    const ofPart = wordsOf(part);
    const shared = [...words].filter((word) => ofPart.has(word)).length;
    if (shared > best.shared) best = { part, shared };
  }
  return best.part;
}

function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{2,}/gu) ?? [],
  );
}
