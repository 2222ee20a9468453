import { duration, percentile } from '../terminal/durations.ts';

/** Everything a demo counts; times in milliseconds. */
export interface Measurements {
  memories: number;
  stored: number;
  /** Bulk calls of up to 20 texts */
  bulkAcceptMs: number[];
  /** Calls with one text, made during the bulk import */
  acceptMs: number[];
  /** From the response to such a call until a recall returns its text */
  recallableMs: number[];
  /** From the same response until the memory is in the blob store and the index */
  storedMs: number[];
  recallMs: number[];
  questions: number;
  /** Share of its evidence in the first ten hits, for each question that has evidence */
  evidenceFound: number[];
  importMs: number;
  failures: string[];
}

export function newMeasurements(): Measurements {
  return {
    memories: 0,
    stored: 0,
    bulkAcceptMs: [],
    acceptMs: [],
    recallableMs: [],
    storedMs: [],
    recallMs: [],
    questions: 0,
    evidenceFound: [],
    importMs: 0,
    failures: [],
  };
}

/** Mean share of evidence in the top ten (`frac@10`); undefined without evidence. */
export function fracAt10({ evidenceFound }: Measurements): number | undefined {
  if (evidenceFound.length === 0) return undefined;
  return evidenceFound.reduce((sum, share) => sum + share, 0) / evidenceFound.length;
}

export function measurementRows(result: Measurements): string[][] {
  const spread = (values: readonly number[]): string =>
    values.length === 0
      ? 'not measured'
      : `${duration(percentile(values, 0.5))} p50, ${duration(percentile(values, 0.95))} p95 (${values.length})`;
  const frac = fracAt10(result);
  const rate = result.stored / (result.importMs / 1000);
  return [
    ['memories stored', `${result.stored} of ${result.memories} (${rate.toFixed(0)}/s)`],
    ['accept, one text', spread(result.acceptMs)],
    ['accept, up to 20 texts', spread(result.bulkAcceptMs)],
    ['accept to recallable', spread(result.recallableMs)],
    ['accept to stored', spread(result.storedMs)],
    ['recall', spread(result.recallMs)],
    ...(frac === undefined
      ? []
      : [['evidence in the top 10', `${frac.toFixed(3)} of it (${result.evidenceFound.length} questions)`]]),
    ['failures', String(result.failures.length)],
  ];
}

export function measurementJson(result: Measurements) {
  const spread = (values: readonly number[]) =>
    values.length === 0
      ? undefined
      : {
          p50_ms: round(percentile(values, 0.5)),
          p95_ms: round(percentile(values, 0.95)),
          count: values.length,
        };
  const frac = fracAt10(result);
  return {
    memories: result.memories,
    stored: result.stored,
    import_ms: round(result.importMs),
    accept: spread(result.acceptMs),
    accept_bulk: spread(result.bulkAcceptMs),
    accept_to_recallable: spread(result.recallableMs),
    accept_to_stored: spread(result.storedMs),
    recall: spread(result.recallMs),
    questions: result.questions,
    ...(frac === undefined
      ? {}
      : { frac_at_10: Number(frac.toFixed(4)), scored_questions: result.evidenceFound.length }),
    failures: result.failures,
  };
}

const round = (ms: number): number => Math.round(ms * 10) / 10;
