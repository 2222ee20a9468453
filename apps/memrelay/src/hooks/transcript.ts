import { open } from 'node:fs/promises';
import type { Message } from './hook-input.ts';

export interface TranscriptPart {
  messages: readonly Message[];
  /** Bytes from the beginning of the file to the end of what was read */
  end: number;
}

/** More is not read at once: the rest of a very long turn is left out. */
const mostBytes = 8 * 1024 * 1024;

/**
 * What users and agents wrote in a transcript (one JSON object per line) from byte `start` on: of Claude Code, or a rollout of
 * Codex. Without tool calls and their results, subagents, and what hosts and hooks add. A last line without its end is left for
 * the next time.
 */
export async function readTranscript(path: string, start: number): Promise<TranscriptPart> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  // A file that became shorter is a new one
  const from = size < start ? 0 : start;
  const first = Math.max(from, size - mostBytes);
  const bytes = Buffer.alloc(size - first);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, first);
  const complete = bytes.subarray(0, bytes.subarray(0, bytesRead).lastIndexOf(10) + 1);
  const messages = complete.toString('utf8').split('\n').flatMap(messagesOf);
  return { messages, end: first + complete.length };
}

function messagesOf(line: string): Message[] {
  if (!line.includes('"user"') && !line.includes('"assistant"')) return [];
  const entry = parsed(line);
  if (entry === undefined) return [];
  const message = entry.type === 'response_item' ? codexMessage(entry) : claudeMessage(entry);
  if (message === undefined) return [];
  const text = withoutHostText(message.text);
  return text === '' ? [] : [{ ...message, text }];
}

type Entry = Record<string, unknown>;

function claudeMessage(entry: Entry): Message | undefined {
  const { type, isMeta, isSidechain, isCompactSummary, toolUseResult, message, timestamp } = entry;
  if (type !== 'user' && type !== 'assistant') return undefined;
  if (isMeta || isSidechain || isCompactSummary || toolUseResult !== undefined) return undefined;
  const text = textOf((message as Entry | undefined)?.content);
  return { role: type, text, at: timeOf(timestamp) };
}

function codexMessage({ payload, timestamp }: Entry): Message | undefined {
  const { type, role, content } = (payload ?? {}) as Entry;
  if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return undefined;
  return { role, text: textOf(content), at: timeOf(timestamp) };
}

/** Parts that are text; tool calls, their results, images and thoughts are not. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: Entry) =>
      /^(?:text|input_text|output_text)$/.test(String(part.type)) ? String(part.text) : '',
    )
    .filter((text) => text !== '')
    .join('\n');
}

const timeOf = (value: unknown): string | undefined =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined;

const hostTags =
  'system-reminder|memrelay-memories|command-[a-z-]+|local-command-[a-z-]+|bash-[a-z-]+|environment_context|user_instructions|INSTRUCTIONS|task-notification|hook_context';
const hostSection = new RegExp(`<(${hostTags})\\b[^>]*>[\\s\\S]*?(?:</\\1>|$)`, 'g');

/** Without the sections that hosts and hooks put into messages. */
export function withoutHostText(text: string): string {
  const own = text.replace(hostSection, '').trim();
  return own.startsWith('# AGENTS.md instructions') || own.startsWith('[Request interrupted') ? '' : own;
}

function parsed(line: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Entry) : undefined;
  } catch {
    return undefined;
  }
}
