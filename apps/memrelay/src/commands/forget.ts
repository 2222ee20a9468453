import { defaultNamespace } from '@memrelay/protocol/limits';
import { chunksOf } from '@memrelay/sdk/chunks';
import { MemRelayError } from '@memrelay/sdk/errors';
import type { Forgotten } from '@memrelay/sdk/forget';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { type NamespaceOption, withClient } from '../client/connect.ts';
import { confirm } from '../owner/confirm.ts';
import { type ConnectedOwner, connectOwner, type OwnerOptions } from '../owner/connect-owner.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/plain-text.ts';
import { networkFacts } from './account.ts';
import { moment } from './list.ts';

export interface ForgetCommandOptions extends OwnerOptions, NamespaceOption {
  /** Everything in the namespace */
  all?: boolean;
  /** Everything in all namespaces of the account */
  everything?: boolean;
  /** Also deletes the blobs on chain, signed by the owner's wallet */
  deleteBlobs?: boolean;
}

/** Maximum number of ids that the relayer accepts per request. */
const idsPerCall = 200;

/** Removes memories permanently: those with these ids, those of a namespace, or all. */
export async function forget(
  output: Output,
  ids: readonly string[],
  options: ForgetCommandOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { all, everything } = options;
  if (everything && options.namespace !== undefined)
    throw new ExitError(
      exitCodes.usage,
      '--everything means all namespaces: leave out --namespace (and MEM_NAMESPACE), or say --all for that one.',
    );
  if ([ids.length > 0, all, everything].filter(Boolean).length !== 1)
    throw new ExitError(
      exitCodes.usage,
      'Name memories by their ids, or say --all for a namespace, or --everything for all namespaces.',
    );
  // Checked before anything is removed: an unusable wallet should be reported now
  const owner = options.deleteBlobs ? (await connectOwner(options, environment)).owner : undefined;
  await withClient(options, async ({ client }) => {
    const namespaces = everything ? await allNamespaces(client) : [options.namespace ?? defaultNamespace];
    const named = ids.length > 0 ? await namedBy(client, namespaces[0]!, ids) : undefined;
    const unknown = named?.unknown ?? [];
    if (unknown.length > 0) output.line(`Not in namespace "${namespaces[0]}": ${unknown.join(', ')}`);
    if (named && named.ids.length === 0) throw noneKnown(namespaces[0]!);
    const asked = named === undefined ? 'Forget all memories' : toForget(named.memories);
    // If all of them were forgotten already, the call only lists the blobs that remain
    const nothingToLose = named?.memories === 0 && !owner;
    await confirm(
      output,
      asked,
      [
        ['In', namespaces.length > 0 ? namespaces.join(', ') : 'no namespace: there is nothing'],
        ...(owner
          ? [...networkFacts(owner), ['Blobs', 'deleted on chain, signed by this wallet'] as const]
          : []),
      ],
      options.yes || nothingToLose,
      { question: 'They cannot be brought back. Forget them?', declined: 'Nothing was forgotten' },
    );
    const calls = everything
      ? [() => client.forgetEverything()]
      : callsIn(client, namespaces[0]!, named?.ids ?? []);
    let deleted = 0;
    let shared = 0;
    let until: string | undefined;
    const blobs: string[] = [];
    output.step('Forgetting');
    for (const [i, call] of calls.entries()) {
      if (i > 0) output.progress(() => `${deleted} forgotten`);
      const gone = await call();
      deleted += gone.deleted;
      blobs.push(...gone.blobsToDelete);
      shared += gone.blobsShared ?? 0;
      until = gone.blobsSharedUntil ?? until;
    }
    output.done();
    const blobsDeleted = owner ? await deleteObjects(output, owner, blobs) : 0;
    output.result({
      deleted,
      namespaces,
      ...(owner ? { blobs_deleted: blobsDeleted } : { blobs_to_delete: blobs }),
      ...(shared > 0 ? { blobs_shared: shared } : {}),
      ...(until === undefined ? {} : { blobs_shared_until: until }),
      ...(unknown.length > 0 ? { unknown } : {}),
    });
    output.line(`Forgotten: ${memories(deleted)}.`);
    if (owner) output.line(`Deleted on chain: ${blobsDeleted} of ${counted(blobs.length, 'blob', 'blobs')}.`);
    else if (blobs.length > 0)
      output.line(
        `The encrypted blobs are left, and only you can delete them. Until you delete them, anyone who kept a key can read them:\n  npx memrelay blobs delete ${blobs.join(' ')}`,
      );
    if (shared > 0)
      output.line(
        `${counted(shared, 'blob also holds', 'blobs also hold')} memories that you keep. The server stores those again first${until === undefined ? '' : `, from ${moment(until)} UTC at the latest`}: run the same command again ${until === undefined ? 'in a while' : 'after that'} to ${owner ? 'delete' : 'list'} the remaining blobs.`,
      );
    if (unknown.length > 0) throw someUnknown(unknown.length, namespaces[0]!);
  });
}

/** The memories that the given ids refer to in a namespace. */
interface NamedMemories {
  /** How many memories would be forgotten; undefined if the relayer does not report it (an older version) */
  memories: number | undefined;
  /** The known ids, including those of memories that are already forgotten */
  ids: readonly string[];
  unknown: readonly string[];
}

async function namedBy(
  client: MemRelay,
  namespace: string,
  given: readonly string[],
): Promise<NamedMemories> {
  const ids = [...new Set(given)];
  const unknown = new Set<string>();
  let count = 0;
  try {
    for (const part of chunksOf(ids, idsPerCall)) {
      const found = await client.forget({ namespace, ids: part, dryRun: true });
      count += found.deleted;
      for (const id of found.unknown ?? []) unknown.add(id);
    }
  } catch (error) {
    if (!(error instanceof MemRelayError && error.code === 'not_found')) throw error;
    return { memories: undefined, ids, unknown: [] };
  }
  return { memories: count, ids: ids.filter((id) => !unknown.has(id)), unknown: [...unknown] };
}

function toForget(count: number | undefined): string {
  if (count === undefined) return 'Forget these memories';
  return count > 0 ? `Forget ${memories(count)}` : 'These memories are forgotten already';
}

function noneKnown(namespace: string): ExitError {
  return new ExitError(
    exitCodes.failed,
    `None of these ids is in namespace "${namespace}": nothing was forgotten. \`npx memrelay list\` shows the namespace of each memory; name it with --namespace.`,
    { code: 'unknown_ids' },
  );
}

function someUnknown(count: number, namespace: string): ExitError {
  return new ExitError(
    exitCodes.failed,
    `${count === 1 ? 'One of the ids is' : `${count} of the ids are`} not in namespace "${namespace}".`,
    { code: 'unknown_ids' },
  );
}

function callsIn(client: MemRelay, namespace: string, ids: readonly string[]): (() => Promise<Forgotten>)[] {
  if (ids.length === 0) return [() => client.forget({ namespace })];
  return chunksOf(ids, idsPerCall).map((part) => () => client.forget({ namespace, ids: part }));
}

/** Includes namespaces without stored memories: they may have unfinished jobs, whose memories would appear later. */
async function allNamespaces(client: MemRelay): Promise<string[]> {
  const { namespaces, jobs } = await client.stats();
  return [...new Set([...namespaces.map(({ namespace }) => namespace), ...(jobs.namespaces ?? [])])];
}

function memories(count: number): string {
  return counted(count, 'memory', 'memories');
}

/** Returns how many were deleted; objects that no longer exist or are permanent are skipped. */
async function deleteObjects(
  output: Output,
  owner: ConnectedOwner['owner'],
  objectIds: readonly string[],
): Promise<number> {
  if (objectIds.length === 0) return 0;
  output.step('Signing and waiting for the chain');
  const wanted = new Set(objectIds);
  const present: string[] = [];
  for await (const { objectId, deletable } of owner.blobs())
    if (deletable && wanted.has(objectId)) present.push(objectId);
  let count = 0;
  for await (const done of owner.deleteBlobs(present)) {
    count += done.count;
    output.progress(() => `${count} of ${present.length} deleted`);
  }
  output.done();
  return count;
}
