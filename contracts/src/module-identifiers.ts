import { readUleb128 } from '@memrelay/protocol/uleb128';

/** Table kind of identifiers in the Move binary format (move-binary-format, `TableType::IDENTIFIERS`). */
const identifiersTable = 7;
const magic = 'a11ceb0b';

/**
 * All names in a compiled module: of the module, its functions, structs and fields, and the functions that it
 * calls. The names of all its functions are among them. Throws `TypeError` if the bytes are not a compiled module.
 */
export function moduleIdentifiers(module: Uint8Array): string[] {
  const reader = new Reader(module);
  if (Buffer.from(reader.bytes(4)).toString('hex') !== magic)
    throw new TypeError('not a compiled Move module');
  reader.bytes(4); // format version
  const tables = Array.from({ length: reader.uleb128() }, () => ({
    kind: reader.uleb128(),
    offset: reader.uleb128(),
    length: reader.uleb128(),
  }));
  const table = tables.find(({ kind }) => kind === identifiersTable);
  if (!table) throw new TypeError('the module has no names');
  // Offsets count from the end of the list of tables.
  const contents = new Reader(module.subarray(reader.position + table.offset).subarray(0, table.length));
  const names: string[] = [];
  while (contents.position < table.length) {
    names.push(Buffer.from(contents.bytes(contents.uleb128())).toString('ascii'));
  }
  return names;
}

class Reader {
  position = 0;
  readonly #source: Uint8Array;

  constructor(source: Uint8Array) {
    this.#source = source;
  }

  bytes(length: number): Uint8Array {
    const end = this.position + length;
    if (end > this.#source.length) throw new TypeError('a compiled Move module ends early');
    const part = this.#source.subarray(this.position, end);
    this.position = end;
    return part;
  }

  uleb128(): number {
    return readUleb128(() => this.bytes(1)[0]!, 5);
  }
}
