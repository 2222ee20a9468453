import type { UploadWorld } from './upload-world.ts';

/** A memory that is done, as in the database. */
export interface StoredJob {
  jobId: string;
  blobId: string;
  objectId: string;
}

/** Checks that every job is done, for pollers and in the database, with a separate blob. Returns the jobs that are done. */
export async function checkDone(
  { owner, relayers, database }: UploadWorld,
  jobIds: readonly string[],
  broken: string[],
): Promise<StoredJob[]> {
  const client = owner.client(relayers[0]!.url);
  const polled = await client.jobs(jobIds);
  client.destroy();
  const { rows } = await database.query<{ id: string; status: string; state: string } & Stored>(
    `SELECT job.id, job.status, memory.state, memory.blob_id, memory.object_id
     FROM memory_job job LEFT JOIN memory USING (account_id, id)`,
  );
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  if (rows.length !== jobIds.length)
    broken.push(`the database has ${rows.length} jobs, ${jobIds.length} were accepted`);
  const stored: StoredJob[] = [];
  for (const [i, jobId] of jobIds.entries()) {
    const row = rowOf.get(jobId);
    const isDone = row?.status === 'done' && row.state === 'done' && row.blob_id && row.object_id;
    if (isDone && polled[i]?.status === 'done' && polled[i]?.blobId === row.blob_id)
      stored.push({ jobId, blobId: row.blob_id!, objectId: row.object_id! });
    else broken.push(`job ${jobId} is ${polled[i]?.status} for pollers but ${row?.status} in the database`);
  }
  const blobs = new Set(stored.map(({ blobId }) => blobId));
  if (blobs.size !== stored.length)
    broken.push(`${stored.length} memories are done, but with ${blobs.size} blobs`);
  return stored;
}

interface Stored {
  blob_id: string | null;
  object_id: string | null;
}

/** Checks that recall finds every text alone, with the id of its blob. Returns the number found. */
export async function checkRecall(
  { owner, relayers }: UploadWorld,
  namespace: string,
  texts: readonly string[],
  stored: readonly StoredJob[],
  broken: string[],
): Promise<number> {
  const client = owner.client(relayers.at(-1)!.url);
  const blobs = new Set(stored.map(({ blobId }) => blobId));
  let recalled = 0;
  for (const text of texts) {
    const { results, droppedCount } = await client.recall(text.slice(0, 1_000), { namespace, limit: 5 });
    const [hit, ...others] = results.filter((result) => result.text === text);
    // Deleted from the set, so that no blob is counted for two texts
    if (hit?.blobId && blobs.delete(hit.blobId) && others.length === 0 && droppedCount === undefined)
      recalled += 1;
    else
      broken.push(
        `${text.slice(0, 20)}… is found ${hit ? others.length + 1 : 0} times, ${droppedCount ?? 0} dropped`,
      );
  }
  client.destroy();
  return recalled;
}
