import type { RecallRequest } from '@memrelay/protocol/memories';

type Weights = Pick<NonNullable<RecallRequest['scoring_weights']>, 'session' | 'speaker' | 'date'>;

const off = { session: 0, speaker: 0, date: 0 };

/** Weights of the signals, by the name of the ranking. */
export const fieldRankings: Readonly<Record<string, Weights>> = {
  'fused, with session': { ...off, session: 1 },
  'fused, with speaker': { ...off, speaker: 1 },
  'fused, with date': { ...off, date: 1 },
  'fused, with session, speaker and date': {},
};
