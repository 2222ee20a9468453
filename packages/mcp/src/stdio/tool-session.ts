import { unwatchFile, watchFile } from 'node:fs';
import { MemRelayError } from '@memrelay/sdk/errors';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { signInCredentialsPath } from '@memrelay/sdk/save-credentials-node';
import { ToolRefusal } from '../tools/tool-refusal.ts';
import { chooseRelayer } from './relayer-choice.ts';
import type { Settings } from './settings.ts';
import type { Log } from './stderr-log.ts';
import { readStored, type Stored } from './stored-credentials.ts';

/** How often the credential file is checked for a sign-in by another process, milliseconds. */
const watchMs = 1_000;

const notSignedIn =
  'No one is signed in to memrelay on this machine, so memory cannot be used yet. Call the tool mem_login, show its URL to the user, and repeat this call after they have signed in; no restart is needed.';

/**
 * Tracks who is signed in while the process runs: it follows changes of the credential file by any process, and provides
 * the client for the current credentials.
 */
export class ToolSession {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #listeners = new Set<() => void>();
  #stored: Stored = { state: 'absent', version: '' };
  #client: { memory: MemRelay; serverUrl: string; version: string } | undefined;
  /** With --login: the file that existed at the start is ignored */
  #ignoredVersion: string | undefined;
  #looking: Promise<Stored> | undefined;
  readonly #onFile = (): void => void this.look();

  private constructor(settings: Settings, log: Log) {
    this.#settings = settings;
    this.#log = log;
  }

  /** Reads the credential file and begins to watch it. */
  static async start(settings: Settings, log: Log): Promise<ToolSession> {
    const session = new ToolSession(settings, log);
    const stored = await session.look();
    if (settings.forceLogin && stored.state !== 'absent') session.#ignoredVersion = stored.version;
    watchFile(signInCredentialsPath(), { interval: watchMs, persistent: false }, session.#onFile);
    return session;
  }

  /** Whether a credential file exists that a sign-out would delete. */
  get hasFile(): boolean {
    return this.#stored.state !== 'absent' && !this.#isIgnored();
  }

  /** The relayer that calls currently go to; undefined when no one is signed in. */
  get relayerUrl(): string | undefined {
    if (this.#stored.state !== 'present' || this.#isIgnored()) return undefined;
    return this.#settings.relayerUrl ?? this.#stored.credentials.relayerUrl;
  }

  /** Calls `listener` whenever credentials are added, removed or changed. Returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads the credential file again, if it has changed. */
  look(): Promise<Stored> {
    this.#looking ??= this.#read().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** The client for a call. Throws `ToolRefusal` with an explanation for the agent if there is none. */
  async client(): Promise<MemRelay> {
    const stored = await this.look();
    if (stored.state === 'absent') throw new ToolRefusal('not_signed_in', notSignedIn);
    if (this.#isIgnored())
      throw new ToolRefusal('login_required', `This session was started with --login. ${notSignedIn}`);
    if (stored.state === 'unusable') throw unusable(stored.reason);
    const serverUrl = await chooseRelayer(this.#settings, stored.credentials);
    if (this.#client?.version === stored.version && this.#client.serverUrl === serverUrl)
      return this.#client.memory;
    this.#drop();
    try {
      const memory = MemRelay.fromCredentials(stored.credentials, {
        serverUrl,
        // Enough attempts to survive a relayer restart; an unreachable relayer is reported within a few seconds.
        maxAttempts: 6,
        fetch: loggedFetch(this.#log),
      });
      this.#client = { memory, serverUrl, version: stored.version };
      return memory;
    } catch (error) {
      throw error instanceof MemRelayError ? unusable(error.message) : error;
    }
  }

  close(): void {
    unwatchFile(signInCredentialsPath(), this.#onFile);
    this.#drop();
  }

  #isIgnored(): boolean {
    return this.#ignoredVersion !== undefined && this.#ignoredVersion === this.#stored.version;
  }

  async #read(): Promise<Stored> {
    const before = this.#stored;
    this.#stored = await readStored(before);
    if (this.#stored.version === before.version) return this.#stored;
    this.#drop();
    this.#log.info(`credentials: ${this.#stored.state}`);
    for (const listener of this.#listeners) listener();
    return this.#stored;
  }

  /** Destroys the client. Running calls end with `client_destroyed`, so that none continues with a key that was signed out. */
  #drop(): void {
    this.#client?.memory.destroy();
    this.#client = undefined;
  }
}

function unusable(reason: string): ToolRefusal {
  return new ToolRefusal(
    'unusable_credentials',
    `${reason}\nNothing was sent. Tell the user. Calling mem_login replaces it with new credentials.`,
  );
}

/** `fetch` that logs each request and response at debug level, without headers, bodies and queries. */
function loggedFetch(log: Log): typeof fetch {
  return async (input, init) => {
    const started = performance.now();
    const url = new URL(input instanceof Request ? input.url : input);
    const request = { method: init?.method ?? 'GET', url: `${url.origin}${url.pathname}` };
    const ms = (): number => Math.round(performance.now() - started);
    try {
      const response = await fetch(input, init);
      const requestId = response.headers.get('x-request-id') ?? undefined;
      log.debug('request', { ...request, status: response.status, ms: ms(), requestId });
      return response;
    } catch (error) {
      const { cause } = error as { cause?: { code?: unknown } };
      log.debug('request failed', {
        ...request,
        ms: ms(),
        code: String(cause?.code ?? (error as Error).name),
      });
      throw error;
    }
  };
}
