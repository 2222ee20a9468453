import { readFile } from 'node:fs/promises';
import type { SealedContext } from '@memrelay/protocol/context-fields';

/** A unit of storage and retrieval: a turn of a conversation, or a whole session. */
export interface Unit {
  id: string;
  text: string;
  /** Its session, speaker and date */
  context?: SealedContext;
}

export interface Question {
  /** Index in the conversation's list, from 0 */
  no: number;
  text: string;
  category: number;
  /** Ids of the turns that answer it */
  evidence: string[];
}

export interface Conversation {
  name: string;
  turns: Unit[];
  sessions: Unit[];
  questions: Question[];
}

interface RawTurn {
  speaker: string;
  dia_id: string;
  text: string;
  blip_caption?: string;
}

interface RawConversation {
  sample_id: string;
  conversation: Record<string, unknown>;
  qa: { question: string; category: number; evidence?: string[] }[];
}

/**
 * Reads a file of LoCoMo conversations (snap-research/locomo). A turn is `speaker: text [caption of a picture]`, a
 * session is all its turns; no time is added. Questions without usable evidence are left out. Throws when there is no
 * conversation in the file.
 */
export async function readLocomo(path: string | URL): Promise<Conversation[]> {
  const raw = JSON.parse(await readFile(path, 'utf8')) as RawConversation[];
  if (!Array.isArray(raw) || raw.length === 0 || !raw.every((each) => each?.conversation && each.qa))
    throw new Error(`${path} is no file of LoCoMo conversations`);
  return raw.map(({ sample_id, conversation, qa }) => {
    const sessions = sessionsOf(conversation);
    const turns = sessions.flatMap((session) => session.turns);
    const known = new Set(turns.map(({ id }) => id));
    return {
      name: sample_id,
      turns,
      sessions: sessions.map(({ id, turns: own }) => ({ id, text: own.map(({ text }) => text).join('\n') })),
      questions: qa
        .map(({ question, category, evidence = [] }, no) => ({
          no,
          text: String(question),
          category,
          // Some entries name several turns
          evidence: [...new Set(evidence.flatMap((entry) => entry.match(/D\d+:\d+/g) ?? []))].filter((id) =>
            known.has(id),
          ),
        }))
        .filter(({ evidence }) => evidence.length > 0),
    };
  });
}

function sessionsOf(conversation: Record<string, unknown>): { id: string; turns: Unit[] }[] {
  return Object.entries(conversation).flatMap(([key, value]) => {
    const happened_at = timeOf(conversation[`${key}_date_time`]);
    const number = /^session_(\d+)$/.exec(key)?.[1];
    if (number === undefined || !Array.isArray(value)) return [];
    const turns = (value as RawTurn[]).map(({ speaker, dia_id, text, blip_caption }) => ({
      id: dia_id,
      text: `${speaker}: ${text}${blip_caption ? ` [${blip_caption}]` : ''}`,
      context: { session: key, speaker, ...(happened_at ? { happened_at } : {}) },
    }));
    return turns.length > 0 ? [{ id: `D${number}`, turns }] : [];
  });
}

/** `1:56 pm on 8 May, 2023` as RFC 3339, at noon. */
function timeOf(text: unknown): string | undefined {
  const [, day, month, year] = /on (\d{1,2}) ([A-Z][a-z]+), (\d{4})/.exec(String(text)) ?? [];
  const time = Date.parse(`${day} ${month} ${year} 12:00 UTC`);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** The evidence of a question as ids of these units. */
export function evidenceIn(kind: 'turns' | 'sessions', { evidence }: Question): Set<string> {
  return new Set(kind === 'turns' ? evidence : evidence.map((id) => id.split(':')[0]!));
}
