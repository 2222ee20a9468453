/** Reduces messages to the fields that a client requests, by the paths of a `google.protobuf.FieldMask`. */
export class ReadMask {
  readonly #paths: readonly string[];

  /** `fallback`: the fields for a request without a mask, as each method documents. */
  constructor(mask: { paths: readonly string[] } | undefined, fallback: readonly string[]) {
    this.#paths = mask && mask.paths.length > 0 ? mask.paths : fallback;
  }

  /** Whether a field (`snake_case` path) or anything in it is requested. */
  wants(path: string): boolean {
    return this.#paths.some(
      (wanted) =>
        wanted === '*' || wanted === path || wanted.startsWith(`${path}.`) || path.startsWith(`${wanted}.`),
    );
  }

  /** The masked copy of a message. Masks the elements of arrays. Keeps oneofs completely. */
  apply<Message extends object>(message: Message, prefix = ''): Message {
    const kept: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(message)) {
      const path = prefix + snakeCase(key);
      if (!this.wants(path)) {
        // Repeated fields have no "absent": the codec needs an array.
        if (Array.isArray(value)) kept[key] = [];
        continue;
      }
      kept[key] = this.#whole(path) ? value : this.#inside(value, `${path}.`);
    }
    return kept as Message;
  }

  #inside(value: unknown, prefix: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#inside(item, prefix));
    if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
    if ('oneofKind' in value) return value;
    return this.apply(value, prefix);
  }

  #whole(path: string): boolean {
    return this.#paths.some((wanted) => wanted === '*' || wanted === path || path.startsWith(`${wanted}.`));
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
