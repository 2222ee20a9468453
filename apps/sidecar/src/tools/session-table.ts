import { rpcCodes } from '@memrelay/protocol/tool-server';
import { isExpired, type ToolCredential } from './credential.ts';
import { Places, type SessionLimits } from './places.ts';
import { RpcRefusal, sessionNotFound } from './rpc-refusal.ts';
import type { ToolSession } from './tool-session.ts';

/**
 * A session ends after this time without a request, a stream or a call. Hosts that keep a stream open never reach it. For
 * others it is longer than a usual break at work, and costs the operator about 0.1 MB of memory per session.
 */
export const idleSessionMs = 30 * 60_000;
const sweepMs = 30_000;

export interface SessionTableOptions {
  limits: SessionLimits;
  idleMs?: number;
  sweepMs?: number;
  now?: () => number;
  /** Also runs at each sweep */
  onSweep?: () => void;
}

/** The open sessions of both transports, by id. Idle sessions are ended. */
export class SessionTable {
  readonly places: Places;
  readonly #sessions = new Map<string, { session: ToolSession; release: () => void }>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: SessionTableOptions) {
    this.places = new Places(options.limits, (address) => this.#evict(address), options.now);
    this.#timer = setInterval(() => {
      this.#reap(options.idleMs ?? idleSessionMs);
      this.places.sweep();
      options.onSweep?.();
    }, options.sweepMs ?? sweepMs);
    this.#timer.unref();
  }

  /** Adds a session together with the release function of its place. */
  add(session: ToolSession, release: () => void): void {
    this.#sessions.set(session.id, { session, release });
  }

  /**
   * The session with this id, for a request with this credential. Throws `RpcRefusal`: 404 if there is none, 403 if it was
   * opened with another credential.
   */
  get(id: string, transport: ToolSession['transport'], credential: ToolCredential): ToolSession {
    const session = this.find(id, transport);
    if (!session) throw sessionNotFound();
    if (session.binding !== credential.binding)
      throw new RpcRefusal(403, rpcCodes.forbidden, 'The session was opened with another credential.');
    return session;
  }

  /** The session with this id, without checking who opened it. */
  find(id: string, transport: ToolSession['transport']): ToolSession | undefined {
    const session = this.#sessions.get(id)?.session;
    return session?.transport === transport ? session : undefined;
  }

  /** Removes a session that has ended. */
  remove(session: ToolSession): void {
    const entry = this.#sessions.get(session.id);
    if (!entry) return;
    this.#sessions.delete(session.id);
    entry.release();
    session.ended();
  }

  ofAccount(accountId: string): ToolSession[] {
    return this.all().filter((session) => session.accountId === accountId);
  }

  get size(): number {
    return this.#sessions.size;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const session of this.all()) session.close();
  }

  all(): ToolSession[] {
    return [...this.#sessions.values()].map(({ session }) => session);
  }

  #reap(idleMs: number): void {
    for (const session of this.all())
      if ((session.idleMs ?? 0) >= idleMs || isExpired(session.scope, Date.now())) session.close();
  }

  #evict(address: string): boolean {
    const idle = this.all()
      .filter((session) => session.address === address && session.idleMs !== undefined)
      .sort((one, other) => other.idleMs! - one.idleMs!);
    idle[0]?.close();
    return idle.length > 0;
  }
}
