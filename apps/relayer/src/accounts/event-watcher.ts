import {
  type AccountEventPage,
  type EmittedAccountEvent,
  readAccountEvents,
} from '@memrelay/chain/account-events';
import type { ChainClient } from '@memrelay/chain/chain-client';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import type { Logger } from 'pino';
import type { Db } from '../base/db/db.ts';
import { readCursor, saveCursor } from './rows/account-rows.ts';

export interface EventWatcherOptions {
  chain: ChainClient;
  packageId: string;
  db: Db;
  /** Pause between two successful reads */
  pollMs: number;
  now(): number;
  log: Logger;
  /** Handles one page of events. If it throws, the page is read again. */
  handle(events: readonly EmittedAccountEvent[]): Promise<void>;
}

const longestPauseMs = 15_000;
/** Pause after a failed read of the feed, during which no request can start another one. */
const retryAfterMs = 1_000;
/** Longest time that a request waits for the feed to catch up: the first read covers the whole history. */
const longestWaitMs = 3_000;

/**
 * Follows the account module's events from the stored cursor. The cursor advances only after a page was handled, so a
 * crash or failure repeats events but never skips one.
 */
export class EventWatcher {
  readonly #options: EventWatcherOptions;
  readonly #feed: string;
  #cursor: string | null | undefined;
  #round: { startedAtMs: number; done: Promise<void> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #lastSuccessMs: number | undefined;
  #lastFailure: { atMs: number; error: unknown } | undefined;
  #closed = false;

  constructor(options: EventWatcherOptions) {
    this.#options = options;
    this.#feed = `account:${options.packageId}`;
  }

  start(): void {
    this.#lookAgain(0);
  }

  /** Milliseconds since the feed last caught up with the chain; undefined if it never did. */
  get sinceCaughtUpMs(): number | undefined {
    return this.#lastSuccessMs === undefined ? undefined : this.#options.now() - this.#lastSuccessMs;
  }

  /** Resolves when all events up to `maxAgeMs` ago have been handled. Throws if that fails or takes longer than 3 s. */
  async catchUp(maxAgeMs: number): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('the event feed is behind')), longestWaitMs);
    await Promise.race([promise, this.#lookAfter(maxAgeMs)]).finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#round?.done.catch(() => undefined);
  }

  async #lookAfter(maxAgeMs: number): Promise<void> {
    if ((this.sinceCaughtUpMs ?? Number.POSITIVE_INFINITY) <= maxAgeMs) return;
    const running = this.#round;
    if (running && this.#options.now() - running.startedAtMs <= maxAgeMs) return running.done;
    if (running) await running.done.catch(() => undefined);
    else if (this.#lastFailure && this.#options.now() - this.#lastFailure.atMs < retryAfterMs)
      throw this.#lastFailure.error;
    await (this.#round ?? this.#startRound()).done;
  }

  #lookAgain(afterMs: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#startRound().done.catch(() => undefined);
    }, afterMs).unref();
  }

  #startRound(): { startedAtMs: number; done: Promise<void> } {
    if (this.#round) return this.#round;
    const startedAtMs = this.#options.now();
    const done = this.#readToTip()
      .then(
        () => {
          if (this.#failures > 0) this.#options.log.info('following account events again');
          this.#failures = 0;
          this.#lastFailure = undefined;
          this.#lastSuccessMs = startedAtMs;
        },
        (error: unknown) => {
          this.#failures += 1;
          this.#lastFailure = { atMs: this.#options.now(), error };
          if (this.#failures === 1)
            this.#options.log.warn({ err: error }, 'cannot read account events; will retry');
          throw error;
        },
      )
      .finally(() => {
        this.#round = undefined;
        this.#lookAgain(Math.min(this.#options.pollMs * 2 ** this.#failures, longestPauseMs));
      });
    this.#round = { startedAtMs, done };
    return this.#round;
  }

  async #readToTip(): Promise<void> {
    const { db, handle } = this.#options;
    let more = true;
    while (more && !this.#closed) {
      this.#cursor ??= await readCursor(db, this.#feed);
      const page = await this.#readPage(this.#cursor);
      if (page.events.length > 0) await handle(page.events);
      if (page.cursor !== null && page.cursor !== this.#cursor) await saveCursor(db, this.#feed, page.cursor);
      this.#cursor = page.cursor;
      more = page.more;
    }
  }

  async #readPage(cursor: string | null): Promise<AccountEventPage> {
    const { chain, packageId, log } = this.#options;
    try {
      return await readAccountEvents(chain, packageId, cursor);
    } catch (error) {
      if (cursor === null || !(error instanceof ChainRejectedError)) throw error;
      // Another node may not know the cursor. Handling events twice has no effect.
      log.warn({ err: error }, 'the node refused the stored event cursor; reading from the start');
      return readAccountEvents(chain, packageId, null);
    }
  }
}
