/** The parts that have been opened so far; closing closes the last one first. */
export interface CloseStack {
  /** Returns the part itself. */
  add<T extends { close(): Promise<unknown> }>(part: T): T;
  push(close: () => Promise<unknown>): void;
  /** Closes all parts even if some fail to close; throws `AggregateError` at the end. */
  close(): Promise<void>;
}

export function createCloseStack(): CloseStack {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    add(part) {
      closers.push(() => part.close());
      return part;
    },
    push(close) {
      closers.push(close);
    },
    async close() {
      const failures: unknown[] = [];
      for (const close of closers.splice(0).reverse())
        await close().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, 'some parts failed to close');
    },
  };
}
