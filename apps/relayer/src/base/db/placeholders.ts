import type { SqlValue } from './db.ts';

/** Adds a value to those of a statement that is being built, and returns its placeholder, cast to this SQL type. */
export type Placeholder = (value: SqlValue, type: string) => string;

/** For the statement that runs with these values and those added later. */
export function placeholdersIn(values: SqlValue[]): Placeholder {
  return (value, type) => `$${values.push(value)}::${type}`;
}
