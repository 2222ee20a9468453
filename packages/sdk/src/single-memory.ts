import type { RememberAccepted } from '@memrelay/protocol/memories';
import type { SingleMemory as WireMemory } from '@memrelay/protocol/single-memory';
import { contextBody } from './context-body.ts';
import { type CamelKeys, camelKeys } from './wire/camel-keys.ts';
import { type Connection, callRelayer } from './wire/request.ts';
import type { CallOptions, ContextOptions, RememberResult, WriteOptions } from './wire/types.ts';
import { write } from './write.ts';

export interface MemoryOptions extends CallOptions {
  /** A memory of another namespace is then `memory_not_found`. Default: any, also if the client has a namespace */
  namespace?: string | undefined;
}

/** Fields of the new text; those that are left out are the memory's own, except `happenedAt`. null drops one */
export type ReplaceOptions = MemoryOptions &
  WriteOptions & { [Name in keyof ContextOptions]: ContextOptions[Name] | null };

/** A memory with its text and its earlier and later versions */
export type SingleMemory = CamelKeys<WireMemory>;

/** Reads one memory; `sessionPackageId` is the package that the session is for. */
export async function readMemory(
  connection: Connection,
  sessionPackageId: string,
  id: string,
  { namespace, signal }: MemoryOptions,
): Promise<SingleMemory> {
  const query = namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`;
  const path = `/api/memories/${encodeURIComponent(id)}${query}`;
  const call = { method: 'GET', path, sessionPackageId, signal } as const;
  return camelKeys((await callRelayer<WireMemory>(connection, call)).value);
}

/** Stores a text that supersedes a memory, whose fields the relayer reads with the session. */
export async function replaceMemory(
  connection: Connection,
  sessionPackageId: Promise<string>,
  id: string,
  text: string,
  options: ReplaceOptions,
): Promise<RememberResult> {
  const path = `/api/memories/${encodeURIComponent(id)}/replace`;
  const body = { text, namespace: options.namespace, ...contextBody(options) };
  return camelKeys(await write<RememberAccepted>(connection, path, body, options, await sessionPackageId));
}
