import type { MemRelay } from '@memrelay/sdk/mem-relay';

/**
 * The SDK client of the running calls. The key arrives with each request and is kept only while a request is being answered
 * or a call runs, even if its stream breaks. The client is created when a tool first needs it.
 */
export class CallClient {
  readonly #make: (delegateKey: string) => MemRelay;
  #holders = 0;
  #delegateKey: string | undefined;
  #client: MemRelay | undefined;

  constructor(make: (delegateKey: string) => MemRelay) {
    this.#make = make;
  }

  /** Call when a request with this key starts. The returned function ends it. */
  hold(delegateKey: string): () => void {
    this.#delegateKey ??= delegateKey;
    return this.#addHolder();
  }

  /** Keeps the key for a call that may outlive its request. The returned function ends it. */
  extend(): () => void {
    return this.#addHolder();
  }

  get(): MemRelay {
    if (this.#delegateKey === undefined) throw new Error('a tool requested a client outside of any call');
    this.#client ??= this.#make(this.#delegateKey);
    return this.#client;
  }

  /** Wipes the key and the client: calls that still run fail from now on. */
  wipe(): void {
    this.#client?.destroy();
    this.#client = undefined;
    this.#delegateKey = undefined;
  }

  #addHolder(): () => void {
    this.#holders += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      if (this.#holders === 0) this.wipe();
    };
  }
}
