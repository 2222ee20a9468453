import type { RecallRequest } from '@memrelay/protocol/memories';
import { namedContext } from '@memrelay/text-index/context';
import type { ContextTokens } from '../../index/context-tokens.ts';
import type { Relevance } from './fusion.ts';

/**
 * What the context fields add to the relevance: memories of a session strengthen each other, and a question may name a
 * speaker or a date. All of it comes from the columns that the search has read anyway. Weights: bench/README.md.
 */

/** Part of the mean of a session's best memories that each of its memories gets */
const sessionPart = 0.5;
const sessionBest = 5;
const speakerFactor = 1.3;
const dateFactor = 2;

/** What a question names, as tokens of the namespace. */
export interface AskedFields {
  speakers: ReadonlySet<string>;
  days: ReadonlySet<string>;
  months: ReadonlySet<string>;
  weights: Pick<NonNullable<RecallRequest['scoring_weights']>, 'session' | 'speaker' | 'date'>;
}

/** Computes tokens only: about 60 µs a word. */
export function fieldsAsked(
  tokens: ContextTokens,
  question: string,
  weights: AskedFields['weights'] = {},
  nowMs = Date.now(),
): AskedFields {
  const { speakers, days, months } = namedContext(question, nowMs);
  return {
    speakers: new Set([...speakers].map((name) => tokens.token('speaker', name))),
    days: new Set([...days].map((day) => tokens.token('day', day))),
    months: new Set([...months].map((month) => tokens.token('month', month))),
    weights,
  };
}

/** Adds the signals, best first. Returns a copy of `found`, without calling `asked`, if no memory has a field. */
export function withFields(
  found: readonly Relevance[],
  asked: () => AskedFields,
  scoreOf: (share: number) => number,
): Relevance[] {
  if (!found.some(({ match }) => match.context)) return [...found];
  const { speakers, days, months, weights } = asked();
  const { session: sessionWeight = 1, speaker: speakerWeight = 1, date: dateWeight = 1 } = weights;
  const ofSession = Map.groupBy(found, ({ match }) => match.context?.session);
  const bonus = new Map<string, number>();
  for (const [session, members] of ofSession)
    if (session !== undefined) {
      const best = members
        .map(({ share }) => share)
        .sort((a, b) => b - a)
        .slice(0, sessionBest);
      const mean = best.reduce((sum, share) => sum + share, 0) / sessionBest;
      bonus.set(session, sessionPart * sessionWeight * mean);
    }
  const scaled = (factor: number, weight: number): number => 1 + (factor - 1) * weight;
  const signalled = found.map((relevance) => {
    const { session, speaker, day, month } = relevance.match.context ?? {};
    const added = session === undefined ? 0 : (bonus.get(session) ?? 0);
    const named = speaker !== undefined && speakers.has(speaker);
    const dated = (day !== undefined && days.has(day)) || (month !== undefined && months.has(month));
    const bySpeaker = named ? scaled(speakerFactor, speakerWeight) : 1;
    const byDate = dated ? scaled(dateFactor, dateWeight) : 1;
    const sum = relevance.share + added;
    return { relevance, added, sum, bySpeaker, byDate, share: sum * bySpeaker * byDate };
  });
  const highest = Math.max(1, ...signalled.map(({ share }) => share));
  return signalled
    .map(({ relevance, added, sum, bySpeaker, byDate, share }): Relevance => {
      const { context } = relevance.explanation;
      const kept = sum > 0 ? relevance.share / sum : 1;
      return {
        ...relevance,
        share: share / highest,
        score: scoreOf(share / highest),
        explanation: {
          ...relevance.explanation,
          ...(context === undefined ? {} : { context: context * kept }),
          ...(added > 0 ? { session: added / sum } : {}),
          ...(bySpeaker === 1 ? {} : { speaker: bySpeaker }),
          ...(byDate === 1 ? {} : { date: byDate }),
        },
      };
    })
    .sort((a, b) => b.score - a.score);
}
