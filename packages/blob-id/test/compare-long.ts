/**
 * The long form of `blob-id.test.ts`: compares ids with those of the Walrus SDK for the number of minutes in the
 * argument (2 by default). Every round uses a random number of shards, size and content. The first line prints the
 * seed, with which a run can be repeated.
 */
import { computeBlobId } from '../src/blob-id.ts';
import { blobMetadata } from '../src/encode/blob-metadata.ts';
import { planBlob } from '../src/encode/blob-plan.ts';
import { createEncoder } from '../src/encode/encoders.ts';
import { bytesSource } from '../src/source/blob-source.ts';
import { maxBlobSize } from '../src/source/matrix.ts';
import { content, referenceIdentity } from './reference.ts';

const [minutes = '2', seed = String(Date.now() % 1e9)] = process.argv.slice(2);
const end = Date.now() + Number(minutes) * 60_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** With few shards, larger blobs only repeat what smaller ones test. */
const mostBytes = 30e6;
/** Number of rounds from one with an expensive number of shards to the next */
const largeEvery = 25;

let state = Number(seed);
/** A random number from 0 (inclusive) to 1 (exclusive), reproducible from the seed (mulberry32). */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

say(`seed ${seed}`);
let rounds = 0;
for (; Date.now() < end; rounds++) {
  const nShards =
    rounds % largeEvery === 0 ? 101 + Math.floor(random() * 900) : 4 + Math.floor(random() ** 2 * 97);
  // Logarithmic distribution, so that small sizes are as frequent as large ones
  const size = Math.floor(Math.min(maxBlobSize(nShards), mostBytes) ** random()) - 1;
  const bytes = content(size, rounds + Number(seed));
  if (random() < 0.3) bytes.fill(0, Math.floor(random() * size));
  const expected = referenceIdentity(bytes, nShards).blobId;
  const found = computeBlobId(bytes, { nShards }).blobId;
  const encoder = createEncoder(nShards);
  const short = blobMetadata(encoder, planBlob(encoder.matrix, size, 1), bytesSource(bytes));
  if (found !== expected || Buffer.from(short.id).toString('base64url') !== expected) {
    say(`${nShards} shards, ${size} bytes, round ${rounds}: the ids differ`);
    process.exitCode = 1;
    break;
  }
}
say(`${rounds} rounds were compared`);
