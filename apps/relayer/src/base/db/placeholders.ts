import type { SqlValue } from './db.ts';

/** Adds a value to those of a statement that is put together, and returns its place there, of this SQL type. */
export type Placeholder = (value: SqlValue, type: string) => string;

/** For the statement that is asked with these values, and with what is added to them. */
export function placeholdersIn(values: SqlValue[]): Placeholder {
  return (value, type) => `$${values.push(value)}::${type}`;
}
