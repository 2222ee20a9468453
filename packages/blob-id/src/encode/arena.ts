/** Allocates consecutive addresses. The memory itself is reserved when all of them are known. */
export interface Arena {
  take(bytes: number): number;
  /** The first free address */
  readonly end: number;
}

const alignment = 64;

export function createArena(start: number): Arena {
  let end = Math.ceil(start / alignment) * alignment;
  return {
    take(bytes) {
      const address = end;
      end = Math.ceil((end + bytes) / alignment) * alignment;
      return address;
    },
    get end() {
      return end;
    },
  };
}
