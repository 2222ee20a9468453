type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** A wire type with its `snake_case` keys in `camelCase`, at every depth. */
export type CamelKeys<T> = T extends readonly (infer Item)[]
  ? CamelKeys<Item>[]
  : T extends object
    ? { [Key in keyof T as Key extends string ? CamelCase<Key> : Key]: CamelKeys<T[Key]> }
    : T;

/** Renames the keys of a parsed JSON value; values and the keys in `metadata` stay as they are. */
export function camelKeys<T>(value: T): CamelKeys<T>;
export function camelKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => camelKeys(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      // Keys that the caller chose
      key === 'metadata' ? item : camelKeys(item),
    ]),
  );
}
