/** Globals of Node whose types `@types/node` leaves to the DOM library. Only what this project uses. */

type CryptoKey = import('node:crypto').webcrypto.CryptoKey;

declare namespace WebAssembly {
  class Module {
    constructor(bytes: ArrayBufferView<ArrayBuffer> | ArrayBuffer);
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  /** Sizes are in pages of 64 KiB. */
  class Memory {
    constructor(size: { initial: number; maximum?: number });
    readonly buffer: ArrayBuffer;
    /** Returns the earlier size in pages. */
    grow(pages: number): number;
  }
}
