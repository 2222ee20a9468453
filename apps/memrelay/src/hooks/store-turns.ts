import { createHash } from 'node:crypto';
import { ownStatements } from '@memrelay/capture/own-statements';
import { limits } from '@memrelay/protocol/limits';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { ContextOptions } from '@memrelay/sdk/types';
import type { HookHost, Message } from './hook-input.ts';

/** Of a long turn only the end is analyzed, in at most this many calls. */
const mostCalls = 4;

export interface StoredTurns {
  how: 'model' | 'rules';
  memories: number;
}

/** Stores the facts of a conversation if the relayer has a chat model, otherwise what the user stated, by rules. */
export async function storeTurns(
  memory: MemRelay,
  messages: readonly Message[],
  { session, host }: { session: string; host: HookHost },
): Promise<StoredTurns> {
  const context = { session: session.slice(0, 128), tags: ['captured', host] };
  const { chatModel } = await memory.config();
  return chatModel
    ? { how: 'model', memories: await analyzeTurns(memory, messages, context) }
    : { how: 'rules', memories: await rememberStatements(memory, messages, context) };
}

async function analyzeTurns(
  memory: MemRelay,
  messages: readonly Message[],
  context: ContextOptions,
): Promise<number> {
  let memories = 0;
  for (const { text, at } of conversationTexts(messages)) {
    const { facts } = await memory.analyze(text, {
      ...context,
      occurredAt: at,
      idempotencyKey: keyOf('analyze', text),
    });
    memories += facts.length;
  }
  return memories;
}

/** The conversation in texts that `analyze` takes; the latest, in order. */
export function conversationTexts(
  messages: readonly Message[],
  most: number = limits.analyzeTextBytes,
): { text: string; at: string | undefined }[] {
  const texts: { text: string; at: string | undefined }[] = [];
  for (const { role, text, at } of messages) {
    const line = cut(`${role === 'user' ? 'User' : 'Assistant'}: ${text}`, most);
    const last = texts.at(-1);
    if (last && Buffer.byteLength(`${last.text}\n\n${line}`) <= most) {
      last.text = `${last.text}\n\n${line}`;
      last.at = at ?? last.at;
    } else texts.push({ text: line, at });
  }
  return texts.slice(-mostCalls);
}

function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
}

async function rememberStatements(
  memory: MemRelay,
  messages: readonly Message[],
  context: ContextOptions,
): Promise<number> {
  const items = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ text, at }) =>
      ownStatements(text).map((statement) => ({
        text: statement,
        ...context,
        speaker: 'user',
        ...(at === undefined ? {} : { happenedAt: at }),
      })),
    );
  if (items.length === 0) return 0;
  await memory.rememberBulk(items, { idempotencyKey: keyOf('remember', JSON.stringify(items)) });
  return items.length;
}

/** The same turns again, after a crash, are stored once. */
function keyOf(kind: string, text: string): string {
  return `hook-${kind}-${createHash('sha256').update(text).digest('hex')}`;
}
