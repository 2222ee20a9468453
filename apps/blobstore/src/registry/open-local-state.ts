import { type Logger, pino } from 'pino';
import type { StoredContent } from '../storage/storage.ts';
import { type EpochSchedule, epochAt, resumeSchedule } from './epoch-clock.ts';
import { type Journal, openJournal, readJournal } from './journal.ts';
import { isBehind, openHead, readHead } from './journal-head.ts';
import { type JournalRecord, LocalState } from './local-state.ts';
import { noContent, rebuildEntries } from './rebuild-entries.ts';

export interface LocalRegistryOptions {
  /** Journal file */
  path: string;
  /** Whether the journal is to be created. If false, a missing or empty journal has lost its records */
  isNew: boolean;
  /** The blobs on disk; none by default */
  content?: StoredContent;
  logger?: Logger;
  nShards: number;
  /** Null if epochs are only advanced manually */
  epochDurationMs: number | null;
  /** Milliseconds since 1970 */
  now: () => number;
}

export interface OpenedState {
  state: LocalState;
  schedule: EpochSchedule;
  journal: Journal<JournalRecord>;
}

/**
 * Reads a journal, rebuilds what it lacks from the content, and rewrites it with the live entries. Throws a plain
 * error when it is damaged other than at its end.
 */
export async function openLocalState(options: LocalRegistryOptions): Promise<OpenedState> {
  const { nShards, path, content = noContent, logger = pino({ enabled: false }) } = options;
  const { records, bytes } = await readJournal<JournalRecord>(path);
  const state = new LocalState();
  for (const record of records) state.apply(record);
  const schedule = resumeSchedule(state.schedule, options.epochDurationMs, options.now());
  state.reached = Math.max(state.reached, epochAt(schedule, options.now()));
  state.prune(state.reached);
  const lastHead = await readHead(path);
  const lacksRecords =
    !options.isNew && (records.length === 0 || isBehind({ run: state.run, bytes }, lastHead));
  await rebuildEntries({ state, content, nShards, path, lacksRecords, logger });
  const run = Math.max(state.run ?? 0, lastHead?.run ?? 0) + 1;
  const head = await openHead(path);
  const live = [{ run }, { epochs: schedule }, ...state.toRecords()];
  const journal = await openJournal<JournalRecord>(path, live, (size) =>
    head.write({ run, bytes: size }).catch((error: unknown) => {
      logger.warn({ err: error }, 'failed to record the length of the registry');
    }),
  );
  async function close(): Promise<void> {
    await journal.close();
    await head.close();
  }
  return { state, schedule, journal: { append: journal.append, close } };
}
