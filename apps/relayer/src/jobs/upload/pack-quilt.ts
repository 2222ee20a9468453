import { type EnvelopeHeader, envelopeKind, parseHeader } from '@memrelay/envelope/header';
import type { Db } from '../../base/db/db.ts';
import type { ClaimedJob } from '../rows/claim-jobs.ts';
import { packQuilt, readCompanions, takeQuilt } from '../rows/quilt-jobs.ts';
import { type QuiltBounds, worthPacking } from './quilt-bounds.ts';

/**
 * Returns the claimed job and the jobs to upload with it, all under its lease: the jobs that it was packed with before or,
 * if its upload has not started yet, waiting jobs of the same account, namespace, key epoch and owner. Their rows name the
 * quilt before this returns. Empty if another worker has the quilt.
 */
export async function withCompanions(db: Db, job: ClaimedJob, bounds: QuiltBounds): Promise<ClaimedJob[]> {
  if (job.quiltId) return takeQuilt(db, job, job.quiltId);
  if (bounds.maxItems < 2 || job.uploadClaims > 1 || job.duplicate) return [job];
  const header = memoryHeader(job.envelope);
  const chosen = header ? await choose(db, job, header, bounds) : [];
  return chosen.length === 0 ? [job] : packQuilt(db, job, chosen);
}

/** Bytes in a client's own format have no name in a quilt, and tombstones and wraps are not packed with memories. */
function memoryHeader(envelope: Buffer): EnvelopeHeader | undefined {
  try {
    const header = parseHeader(envelope, envelope.length);
    return header.kind === envelopeKind.memory ? header : undefined;
  } catch {
    return undefined;
  }
}

/** All memories of a quilt share account, namespace tag and key epoch, which the identity consists of (security.md). */
async function choose(
  db: Db,
  job: ClaimedJob,
  { identity }: EnvelopeHeader,
  bounds: QuiltBounds,
): Promise<string[]> {
  const waiting = await readCompanions(db, job, Buffer.from(identity), bounds.maxItems - 1);
  const own = { id: job.id, size: job.envelope.length };
  // A client may have stored the same bytes twice, and no two patches of a quilt have the same name
  const others = new Map(waiting.map((row) => [row.name, row]));
  const packed = worthPacking([own, ...others.values()], bounds);
  return packed.includes(own) ? packed.filter((item) => item !== own).map(({ id }) => id) : [];
}
