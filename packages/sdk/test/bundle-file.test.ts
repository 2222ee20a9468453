import { concatBytes } from '@memrelay/envelope/bytes';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BundleContent, encodeContent } from '../src/bundle/bundle-content.ts';
import { bundleHeaderLength, isBundle, newBundleKey } from '../src/bundle/bundle-key.ts';
import { sealRecord } from '../src/bundle/bundle-records.ts';
import { exportBundle } from '../src/bundle/export-bundle.ts';
import { importBundle } from '../src/bundle/import-bundle.ts';
import { openBundle } from '../src/bundle/open-bundle.ts';
import { type BundlePosition, resumeBundle } from '../src/bundle/resume-bundle.ts';
import { bundleSource } from './bundle-source.ts';

/** Tests the contents of a bundle file, and that no part of a modified file is used. */

const passphrase = 'a passphrase of some length';

/** The bytes in pieces of an awkward size. */
async function* inPieces(bytes: Uint8Array, size = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const open = (bytes: Uint8Array, usedPassphrase = passphrase) =>
  openBundle(() => inPieces(bytes), usedPassphrase, p);
async function collect(parts: AsyncIterable<Uint8Array>, atMost = Infinity): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const part of parts) if (all.push(part) >= atMost) break;
  return concatBytes(...all);
}
const source = bundleSource({ memories: 7, perPage: 3 });
/** Cheap key derivation, because these tests derive many keys */
const scryptLogN = 10;
const options = { passphrase, primitives: p, scryptLogN };

let bundleBytes: Uint8Array;
beforeAll(async () => {
  bundleBytes = await collect(exportBundle(source.client, options));
});

describe('a bundle', () => {
  it('contains every memory, and reveals neither text nor namespace', async () => {
    const bundle = await open(bundleBytes);
    expect(bundle).toMatchObject({
      memories: 7,
      failed: 0,
      start: { account_id: source.client.accountId },
      trustedWriters: [source.writer],
    });
    expect(isBundle(bundleBytes)).toBe(true);
    const bytes = Buffer.from(bundleBytes);
    for (const known of ['memory number', source.namespace, source.client.accountId])
      expect(bytes.includes(known)).toBe(false);
  });

  it('is sent with the secrets of its envelopes, never with their keys', async () => {
    const sent = source.importing();
    const parts = [];
    for await (const part of importBundle(sent.client, await open(bundleBytes), { primitives: p }))
      parts.push(part);
    expect(parts.flatMap(({ memories }) => memories.map(({ id }) => id))).toEqual(source.ids);
    expect(sent.texts()).toEqual(source.texts);
    expect(sent.vectors()).toEqual(source.vectors);
    const body = JSON.stringify(sent.requests);
    for (const key of source.privateKeys) {
      expect(body).not.toContain(Buffer.from(key).toString('hex'));
      expect(body).not.toContain(Buffer.from(key).toString('base64').slice(0, 40));
    }
    expect(sent.requests.map(({ trusted_writers }) => trusted_writers)).toEqual(
      sent.requests.map(() => [source.writer]),
    );
  });

  it('omits requests that were sent before', async () => {
    const sent = source.importing();
    const bundle = await open(bundleBytes);
    const parts = [];
    for await (const part of importBundle(sent.client, bundle, { primitives: p, skip: new Set([0, 2]) }))
      parts.push(part.no);
    expect(parts).toEqual([1]);
  });

  it('requires its passphrase, in any Unicode form', async () => {
    await expect(open(bundleBytes, 'another passphrase')).rejects.toMatchObject({ code: 'wrong_passphrase' });
    const accented = { ...options, passphrase: 'pass\u0065\u0301 pass\u0065\u0301 pass' };
    const bytes = await collect(exportBundle(source.client, accented));
    expect((await open(bytes, 'pass\u00e9 pass\u00e9 pass')).memories).toBe(7);
    await expect(collect(exportBundle(source.client, { passphrase: 'too short' }))).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('is rejected when a byte of it is changed', async () => {
    const positions = [
      0,
      4,
      5,
      6,
      7,
      12,
      bundleHeaderLength,
      bundleHeaderLength + 1,
      bundleHeaderLength + 30,
    ];
    const codes: string[] = [];
    for (const at of [...positions, Math.floor(bundleBytes.length / 2), bundleBytes.length - 1]) {
      const changed = Uint8Array.from(bundleBytes);
      changed[at]! ^= 0x01;
      codes.push(
        await open(changed).then(
          () => `accepted at ${at}`,
          (error) => error.code,
        ),
      );
    }
    expect(new Set(codes)).toEqual(new Set(['invalid_bundle', 'unsupported_bundle', 'wrong_passphrase']));
  });

  it('is rejected when it is truncated, even at the end of a record, or extended', async () => {
    for (const length of [
      bundleHeaderLength + 5,
      bundleBytes.length - 1,
      (await interrupted(bundleBytes.subarray(0, -1))).bytes,
    ])
      await expect(open(bundleBytes.subarray(0, length))).rejects.toMatchObject({ code: 'bundle_cut_off' });
    await expect(open(concatBytes(bundleBytes, Uint8Array.of(0)))).rejects.toMatchObject({
      code: 'invalid_bundle',
    });
    for (const other of [new Uint8Array(0), Buffer.from('just a text file with some lines')])
      await expect(open(other)).rejects.toMatchObject({ code: 'invalid_bundle' });
  });

  it('is rejected when records are missing, repeated or from another bundle', async () => {
    const ends = await recordEnds(bundleBytes);
    const record = (i: number) => bundleBytes.subarray(ends[i - 1] ?? bundleHeaderLength, ends[i]);
    const header = bundleBytes.subarray(0, bundleHeaderLength);
    const other = await collect(exportBundle(source.client, options));
    const otherEnds = await recordEnds(other);
    const forged = [
      concatBytes(header, record(0), record(2), record(3), record(4)),
      concatBytes(header, record(0), record(1), record(1), record(3), record(4)),
      concatBytes(header, record(0), record(2), record(1), record(3), record(4)),
      concatBytes(
        header,
        record(0),
        other.subarray(otherEnds[0], otherEnds[1]),
        bundleBytes.subarray(ends[1]),
      ),
    ];
    for (const bytes of forged) await expect(open(bytes)).rejects.toMatchObject({ code: 'invalid_bundle' });
  });

  it('is rejected when its end record does not match its memories', async () => {
    const key = await newBundleKey(passphrase, scryptLogN);
    const record = (index: number, head: BundleContent, last = false) =>
      sealRecord(p, key, { index, last, plaintext: encodeContent(head) });
    const bytes = concatBytes(
      key.header,
      record(0, { kind: 'start', account_id: '0x1', created_at: '2026-01-01T00:00:00Z' }),
      record(1, { kind: 'end', memories: 1, failed: 0 }, true),
    );
    await expect(open(bytes)).rejects.toMatchObject({ code: 'invalid_bundle' });
  });
});

describe('an export', () => {
  it('resumes where it was interrupted, and gives the same bundle', async () => {
    // Header, start, one page, and a torn record
    const first = await collect(exportBundle(source.client, options), 3);
    const torn = concatBytes(first, Uint8Array.of(0, 9, 9));
    const position = await interrupted(torn);
    expect(position).toMatchObject({ bytes: first.length, memories: 3 });
    const rest = await collect(exportBundle(source.client, { ...options, resume: position }));
    const bundle = await open(concatBytes(torn.subarray(0, position.bytes), rest));
    expect(bundle.memories).toBe(7);
    const sent = source.importing();
    for await (const _ of importBundle(sent.client, bundle, { primitives: p }));
    expect(sent.texts()).toEqual(source.texts);
  });

  it('cannot resume before its first page or after its end', async () => {
    const start = await collect(exportBundle(source.client, options), 2);
    expect(await resumeBundle(inPieces(start), passphrase, p)).toBeUndefined();
    expect(await resumeBundle(inPieces(bundleBytes), passphrase, p)).toBe('complete');
  });

  it('skips and reports envelopes that do not open or are not signed by a trusted key', async () => {
    const damaged = bundleSource({ memories: 4, perPage: 4, damaged: 1, unsigned: 2 });
    const failed: unknown[] = [];
    const onProgress = (progress: { failed: readonly unknown[] }) => failed.splice(0, 9, ...progress.failed);
    const bundle = await open(await collect(exportBundle(damaged.client, { ...options, onProgress })));
    expect(bundle).toMatchObject({ memories: 2, failed: 2 });
    expect(failed).toEqual([
      { id: damaged.ids[1], reason: 'decrypt_failed' },
      { id: damaged.ids[2], reason: 'untrusted_signer' },
    ]);
  });
});

async function interrupted(bytes: Uint8Array): Promise<BundlePosition> {
  const position = await resumeBundle(inPieces(bytes), passphrase, p);
  if (typeof position !== 'object') throw new Error(`the bundle is ${position}`);
  return position;
}

async function recordEnds(bytes: Uint8Array): Promise<number[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const ends: number[] = [];
  for (let at = bundleHeaderLength; at < bytes.length; at = ends.at(-1)!)
    ends.push(at + 17 + view.getUint32(at + 1, true));
  return ends;
}
