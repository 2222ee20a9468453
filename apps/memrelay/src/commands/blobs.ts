import type { WalrusTariff } from '@memrelay/chain/walrus-prices';
import { uuidPattern } from '@memrelay/protocol/fields';
import type { Done, OwnedBlob } from '@memrelay/sdk/account/account-owner';
import { epochText, networkDates, untilEpoch } from '../cost/storage-dates.ts';
import { confirm } from '../owner/confirm.ts';
import { type ConnectedOwner, connectOwner, type OwnerOptions } from '../owner/connect-owner.ts';
import { type Living, livingMemories, lostWith } from '../owner/living-memories.ts';
import { dataSize } from '../terminal/data-size.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { columns, counted } from '../terminal/plain-text.ts';
import { networkFacts } from './account.ts';

/** Lists the wallet's blob objects. */
export async function listBlobs(
  output: Output,
  options: OwnerOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const connected = await connectOwner(options, environment);
  const { owner } = connected;
  const blobs = await allBlobs(output, owner);
  const living = await livingMemories(output, connected);
  const dateOf = await networkDates(owner.network.name, owner.network.rpcUrl);
  const counts = 'memories' in living ? living.memories : undefined;
  output.result({
    blobs: blobs.map((blob) => ({
      ...json(blob),
      ...(dateOf(blob.endEpoch) ? { end_at: dateOf(blob.endEpoch)!.toISOString() } : {}),
      ...(counts ? { memories: counts.get(blob.blobId) ?? 0 } : {}),
    })),
  });
  const rows = blobs.map(({ objectId, blobId, size, endEpoch }) => [
    objectId,
    blobId,
    dataSize(size),
    `until ${epochText(endEpoch, dateOf)}`,
    ...(counts?.has(blobId) ? [memories(counts.get(blobId)!)] : []),
  ]);
  for (const line of columns(rows)) output.line(line);
  output.line(`${counted(blobs.length, 'blob', 'blobs')} of ${owner.address}`);
  if ('unknown' in living) output.line(`Cannot determine which memories are in them: ${living.unknown}.`);
  else {
    const held = new Set(blobs.map(({ blobId }) => blobId));
    const elsewhere = sum([...living.memories].filter(([id]) => !held.has(id)).map(([, count]) => count));
    if (elsewhere > 0)
      output.line(
        `${counted(elsewhere, 'memory of the account is', 'memories of the account are')} in blobs that this wallet does not hold: they are read like all others, but only the holder of those blobs can extend or delete them.`,
      );
  }
}

/**
 * Deletes blobs by object or blob id, or all of them. Refuses if that would delete memories that were not named, unless
 * `withMemories` is set.
 */
export async function deleteBlobs(
  output: Output,
  ids: readonly string[],
  options: OwnerOptions & { all?: boolean; withMemories?: boolean },
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const connected = await connectOwner(options, environment);
  const { owner } = connected;
  const blobs = await allBlobs(output, owner);
  const living = await livingMemories(output, connected);
  const chosen = choose(blobs, blobsOf(ids, living), options.all);
  const deletable = chosen.filter((blob) => blob.deletable);
  const lost = 'memories' in living ? lostWith(deletable, blobs, living.memories) : [];
  if (!options.withMemories && deletable.length > 0) refuseLoss(living, lost);
  if (deletable.length < chosen.length)
    output.line(`${counted(chosen.length - deletable.length, 'is', 'are')} permanent and will be kept.`);
  await confirm(
    output,
    `Delete ${counted(deletable.length, 'blob', 'blobs')} for good: the memories in ${deletable.length === 1 ? 'it' : 'them'} can never be read again`,
    [
      ...networkFacts(owner),
      ['Living memories', 'memories' in living ? `${sum(lost.map((each) => each.memories))}` : 'unknown'],
    ],
    options.yes,
  );
  await follow(
    output,
    'deleted',
    deletable.length,
    owner.deleteBlobs(deletable.map(({ objectId }) => objectId)),
  );
}

/** Extends blobs by a number of epochs. */
export async function extendBlobs(
  output: Output,
  ids: readonly string[],
  options: OwnerOptions & { all?: boolean; until?: string; epochs: string },
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const epochs = /^\d{1,2}$/.test(options.epochs) ? Number(options.epochs) : 0;
  if (epochs < 1 || epochs > 53)
    throw new ExitError(exitCodes.usage, '--epochs takes a whole number from 1 to 53.');
  if (options.until !== undefined && (options.all || ids.length > 0)) throw oneOfThree();
  const connected = await connectOwner(options, environment);
  const { owner } = connected;
  const dateOf = await networkDates(owner.network.name, owner.network.rpcUrl);
  const until = options.until === undefined ? undefined : untilEpoch(options.until, dateOf);
  const blobs = await allBlobs(output, owner);
  const named = ids.some(isUuid) ? blobsOf(ids, await livingMemories(output, connected)) : ids;
  const tariff = await owner.tariff();
  const living = blobs.filter(({ certified, endEpoch }) => certified && endEpoch > tariff.epoch);
  const chosen =
    until === undefined
      ? choose(options.all ? living : blobs, named, options.all)
      : living.filter(({ endEpoch }) => endEpoch <= until);
  if (chosen.length === 0) {
    output.result({ extended: 0, digests: [] });
    output.line(
      until === undefined
        ? 'This wallet has no blobs that can be extended.'
        : `Nothing ends by ${epochText(until, dateOf)}.`,
    );
    return;
  }
  refuseExtension(chosen, epochs, tariff);
  await confirm(
    output,
    `Extend ${counted(chosen.length, 'blob', 'blobs')} by ${counted(epochs, 'epoch', 'epochs')}, paid with this wallet's WAL`,
    networkFacts(owner),
    options.yes,
  );
  await follow(
    output,
    'extended',
    chosen.length,
    owner.extendBlobs(
      chosen.map(({ objectId }) => objectId),
      epochs,
    ),
  );
}

/** Refuses what the contract would refuse for all blobs of a transaction, with a reason that it does not give. */
function refuseExtension(
  blobs: readonly OwnedBlob[],
  epochs: number,
  { epoch, maxEpochsAhead }: WalrusTariff,
): void {
  const expired = blobs.filter(({ certified, endEpoch }) => !certified || endEpoch <= epoch);
  if (expired.length > 0)
    throw new ExitError(
      exitCodes.usage,
      `Nothing was extended: ${expired.map(({ blobId }) => blobId).join(', ')} expired or was never certified.`,
    );
  const most = epoch + maxEpochsAhead - Math.max(...blobs.map(({ endEpoch }) => endEpoch));
  if (epochs <= most) return;
  const possible =
    most > 0 ? `--epochs can be at most ${most}` : 'one of these blobs already lasts that long';
  throw new ExitError(
    exitCodes.usage,
    `Nothing was extended: this network sells storage for ${maxEpochsAhead} epochs ahead, so ${possible}.`,
  );
}

/**
 * A blob of one memory contains only what the owner named. Deleting a quilt also deletes memories that were not named.
 */
function refuseLoss(living: Living, lost: readonly { blobId: string; memories: number }[]): void {
  if ('unknown' in living)
    throw new ExitError(
      exitCodes.usage,
      `Nothing was deleted: cannot determine which memories are in these blobs, because ${living.unknown}. Add --with-memories to delete them anyway.`,
      { code: 'memories_unknown' },
    );
  const quilts = lost.filter((each) => each.memories > 1);
  if (quilts.length === 0) return;
  throw new ExitError(
    exitCodes.usage,
    `Nothing was deleted: ${memories(sum(quilts.map((each) => each.memories)))} live in ${quilts.map(({ blobId }) => blobId).join(', ')} and would be lost. Forget those that are to go (\`npx memrelay forget\`): the server then stores the others again and names the blob. Or add --with-memories to lose all of them.`,
    { code: 'memories_live' },
  );
}

const memories = (count: number): string => counted(count, 'memory', 'memories');
const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

async function allBlobs(output: Output, owner: ConnectedOwner['owner']): Promise<OwnedBlob[]> {
  output.step('Reading your blobs from the chain');
  const blobs: OwnedBlob[] = [];
  for await (const blob of owner.blobs()) {
    blobs.push(blob);
    output.progress(() => counted(blobs.length, 'blob', 'blobs'));
  }
  output.done();
  return blobs;
}

const oneOfThree = (): ExitError =>
  new ExitError(exitCodes.usage, 'Name blobs by ids, with --all or with --until: one of the three.');

const isUuid = (id: string): boolean => uuidPattern.test(id);

/** Replaces memory ids by the ids of their blobs; other ids are those of blobs or objects. */
function blobsOf(ids: readonly string[], living: Living): string[] {
  if ('unknown' in living) {
    if (!ids.some(isUuid)) return [...ids];
    throw new ExitError(
      exitCodes.usage,
      `Name blobs by blob or object ids: cannot determine the blob of a memory, because ${living.unknown}.`,
      { code: 'memories_unknown' },
    );
  }
  return ids.map((id) => living.blobOf.get(id.toLowerCase()) ?? id);
}

function choose(blobs: OwnedBlob[], ids: readonly string[], all: boolean | undefined): OwnedBlob[] {
  if (all) return blobs;
  if (ids.length === 0) throw new ExitError(exitCodes.usage, 'Name blobs by their ids, or add --all.');
  const wanted = new Set(ids);
  const chosen = blobs.filter(({ objectId, blobId }) => wanted.has(objectId) || wanted.has(blobId));
  const found = new Set(chosen.flatMap(({ objectId, blobId }) => [objectId, blobId]));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0)
    throw new ExitError(
      exitCodes.usage,
      `This wallet has no ${missing.length === 1 ? 'blob' : 'blobs'} ${missing.join(', ')}.`,
    );
  return chosen;
}

async function follow(
  output: Output,
  word: 'deleted' | 'extended',
  total: number,
  work: AsyncGenerator<Done & { count: number }>,
): Promise<void> {
  let count = 0;
  const digests: string[] = [];
  output.step('Signing and waiting for the chain');
  for await (const done of work) {
    count += done.count;
    digests.push(done.digest);
    output.progress(() => `${count} of ${total} ${word}`);
  }
  output.done();
  output.result({ [word]: count, digests });
  output.line(
    `${counted(count, 'blob', 'blobs')} ${word} in ${counted(digests.length, 'transaction', 'transactions')}.`,
  );
}

function json({ objectId, blobId, size, endEpoch, certified, deletable }: OwnedBlob) {
  return { object_id: objectId, blob_id: blobId, size, end_epoch: endEpoch, certified, deletable };
}
