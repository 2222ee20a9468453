import { defaultNamespace, limits } from '@memrelay/protocol/limits';
import type { Profile } from '@memrelay/sdk/profile';
import { type ConnectOptions, type NamespaceOption, withClient } from '../client/connect.ts';
import { parseLimit } from '../terminal/limit-option.ts';
import type { Output } from '../terminal/output.ts';
import { plainText, wrap } from '../terminal/plain-text.ts';

export interface ProfileOptions extends ConnectOptions, NamespaceOption {
  limit?: string;
}

/** Prints short facts about a subject, or the most important ones, and when they were stored. */
export async function profile(
  output: Output,
  words: readonly string[],
  options: ProfileOptions,
): Promise<void> {
  const limit = parseLimit(options.limit, limits.profileLimit);
  const namespace = options.namespace ?? defaultNamespace;
  const subject = words.length > 0 ? words.join(' ') : undefined;
  const found = await withClient(options, ({ client }) => client.profile({ subject, namespace, limit }));
  output.result(json(found));
  if (output.json) return;
  for (const { text, sources } of found.facts) {
    const [first, ...rest] = wrap(plainText(text), output.width - 12);
    output.line(`${output.paint('dim', sources[0]!.createdAt.slice(0, 10))}  ${first}`);
    for (const line of rest) output.line(`            ${line}`);
  }
  if (found.facts.length === 0) output.line(`Nothing is known in namespace "${plainText(namespace)}".`);
  if (found.droppedCount) output.line(`${found.droppedCount} memories could not be read right now.`);
}

/** As on the wire. */
function json({ namespace, facts, total, droppedCount, mock }: Profile) {
  return {
    namespace,
    total,
    facts: facts.map(({ text, sources }) => ({
      text,
      sources: sources.map(({ id, blobId, createdAt }) => ({
        id,
        ...(blobId ? { blob_id: blobId } : {}),
        created_at: createdAt,
      })),
    })),
    ...(droppedCount ? { dropped_count: droppedCount } : {}),
    ...(mock ? { mock } : {}),
  };
}
