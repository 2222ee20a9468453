import type { MemRelay } from '@memrelay/sdk/mem-relay';

/**
 * The SDK client of the calls under way. Its key comes with the requests and goes with them: it is there while a request is
 * being answered or a call runs, however its stream fares, and made into a client when a tool first asks.
 */
export class CallClient {
  readonly #make: (delegateKey: string) => MemRelay;
  #holders = 0;
  #delegateKey: string | undefined;
  #client: MemRelay | undefined;

  constructor(make: (delegateKey: string) => MemRelay) {
    this.#make = make;
  }

  /** A request with this key begins. What is returned ends it. */
  hold(delegateKey: string): () => void {
    this.#delegateKey ??= delegateKey;
    return this.#held();
  }

  /** A call of a request that is held goes on for itself. What is returned ends it. */
  extend(): () => void {
    return this.#held();
  }

  get(): MemRelay {
    if (this.#delegateKey === undefined) throw new Error('a tool asked for a client outside of any call');
    this.#client ??= this.#make(this.#delegateKey);
    return this.#client;
  }

  /** Whatever still runs is refused from now on. */
  wipe(): void {
    this.#client?.destroy();
    this.#client = undefined;
    this.#delegateKey = undefined;
  }

  #held(): () => void {
    this.#holders += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holders -= 1;
      if (this.#holders === 0) this.wipe();
    };
  }
}
