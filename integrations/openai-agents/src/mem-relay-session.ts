import { createSessionLog, type SessionLog, type SessionLogOptions } from '@memrelay/adapter/session-log';
import type { AgentInputItem, Session } from '@openai/agents';

/**
 * A session of the Agents SDK. Each item of the conversation is one memory. A run that cannot read or store its history fails
 * with `MemRelayError`, as with any other session.
 */
export class MemRelaySession implements Session {
  readonly #log: SessionLog<AgentInputItem>;
  readonly #sessionId: string;

  constructor(options: SessionLogOptions) {
    this.#log = createSessionLog(options);
    this.#sessionId = options.sessionId;
  }

  async getSessionId(): Promise<string> {
    return this.#sessionId;
  }

  /** The last `limit` items, or all, oldest first. */
  getItems(limit?: number): Promise<AgentInputItem[]> {
    return this.#log.read(limit);
  }

  /** Resolves when the items are durably accepted. */
  addItems(items: AgentInputItem[]): Promise<void> {
    return this.#log.append(items);
  }

  /** Removes the last item permanently and returns it. */
  popItem(): Promise<AgentInputItem | undefined> {
    return this.#log.pop();
  }

  /** Removes all items permanently. */
  clearSession(): Promise<void> {
    return this.#log.clear();
  }
}
