/** The value at a path of keys, or undefined. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (object, key) => (object as Record<string, unknown> | null | undefined)?.[key],
    value,
  );
}

/** A copy of an object with `value` at `path`, or without an entry there if `value` is undefined. */
export function withValue(before: unknown, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(before) as Record<string, unknown>;
  let object = copy;
  for (const key of path.slice(0, -1)) {
    object[key] ??= {};
    object = object[key] as Record<string, unknown>;
  }
  if (value === undefined) delete object[path.at(-1)!];
  else object[path.at(-1)!] = value;
  return copy;
}
