import type { Match } from '../../src/memories/rows/match.ts';

/** A stored memory as a search returns it: among the nearest, with a distance of 0.5, without words. */
export function sampleMatch(id: string, more: Partial<Match> = {}): Match {
  return {
    id,
    distance: 0.5,
    near: true,
    state: 'done',
    blobId: id,
    envelopeId: undefined,
    envelopeSha256: Buffer.alloc(32),
    size: 1_000,
    importance: 0.5,
    createdAt: new Date(0),
    ...more,
  };
}
