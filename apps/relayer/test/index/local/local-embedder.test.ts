import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { writeFakeModel } from '@memrelay/dev-env/fake-model';
import { findLocalModel, type LocalModel } from '@memrelay/relayer/index/embedding/local/local-model';
import type { ModelThreadOptions } from '@memrelay/relayer/index/embedding/local/model-thread';
import { createLocalEmbedder } from '@memrelay/relayer/index/embedding/local-embedder';
import type { Prefixes } from '@memrelay/relayer/index/embedding/prefixes';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

describe('the local embedder', () => {
  let directory: string;
  let model: LocalModel;
  const opened: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'memrelay-model-'));
    model = await writeFakeModel(directory);
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
    await rm(directory, { recursive: true });
  });

  function open(options?: ModelThreadOptions, prefixes?: Prefixes) {
    const embedder = createLocalEmbedder(model, prefixes, options);
    opened.push(embedder);
    return embedder;
  }

  it('returns unit vectors in order, different for a question than for the same text', async () => {
    const embedder = open();
    const [one, two] = await embedder.embed(['abc', 'xyz'], []);
    const [again] = await embedder.embed(['abc'], [], { as: 'document' });
    const [question] = await embedder.embed(['abc'], [], { as: 'query' });
    expect(again).toEqual(one);
    expect(two).not.toEqual(one);
    expect(question).not.toEqual(one);
    expect(Math.hypot(...one!)).toBeCloseTo(1);
    expect(await embedder.embed([], [])).toEqual([]);
  });

  it('embeds every window of a long text', async () => {
    const [start, whole] = await open().embed(['a '.repeat(40), `${'a '.repeat(40)}z z z z z`], []);
    const z = 7 + 25;
    expect(start![z]).toBe(0);
    expect(whole![z]).toBeGreaterThan(0);
  });

  it('names its vectors by model, weights and prefixes, so that a change makes earlier ones stale', () => {
    const weights = model.manifest.files['model.onnx']!.sha256.slice(0, 8);
    expect(open().model).toBe(`fake-${weights}@64`);
    expect(open({}, { queryPrefix: 'q: ' }).model).toBe(`fake-${weights}@64`);
    const names = [{ queryPrefix: 'other: ' }, { documentPrefix: '' }].map((each) => open({}, each).model);
    expect(new Set([...names, open().model]).size).toBe(3);
  });

  it('starts its thread with the first text and ends it when idle, then starts again', async () => {
    const embedder = open({ idleMs: 50 });
    expect(embedder.running).toBe(false);
    await embedder.embed(['abc'], []);
    expect(embedder.running).toBe(true);
    await vi.waitFor(() => expect(embedder.running).toBe(false), 10_000);
    expect(await embedder.embed(['abc'], [])).toHaveLength(1);
  });

  it('reports a crash of the thread as temporary, and works again with the next text', async () => {
    const embedder = open();
    const both = await Promise.allSettled([embedder.embed(['crash'], []), embedder.embed(['abc'], [])]);
    for (const each of both)
      expect(each).toMatchObject({
        status: 'rejected',
        reason: { name: 'EmbeddingError', kind: 'transient' },
      });
    expect(await embedder.embed(['abc'], [])).toHaveLength(1);
  });

  it('reports a model error only to the call that caused it', async () => {
    const embedder = open();
    const [failed, other] = await Promise.allSettled([
      embedder.embed(['fail', 'abc'], []),
      embedder.embed(['abc'], []),
    ]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { kind: 'transient' } });
    expect(other.status).toBe('fulfilled');
  });

  it('ends a thread that hangs', async () => {
    const embedder = open({ timeoutMs: 3_000 });
    await expect(embedder.embed(['hang'], [])).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('more than 3000 ms'),
    });
    expect(await embedder.embed(['abc'], [])).toHaveLength(1);
  });

  it('answers questions before waiting texts', async () => {
    const embedder = open();
    const order: string[] = [];
    const texts = embedder.embed(Array(20).fill('abc'), []).then(() => order.push('texts'));
    const question = embedder.embed(['xyz'], [], { as: 'query' }).then(() => order.push('question'));
    await Promise.all([texts, question]);
    expect(order).toEqual(['question', 'texts']);
  });

  it('rejects a call when too many texts wait, but never the only call', async () => {
    const embedder = open({ maxWaiting: 3 });
    const first = embedder.embed(Array(10).fill('abc'), []);
    await expect(embedder.embed(['abc'], [])).rejects.toMatchObject({ kind: 'transient' });
    expect(await embedder.embed(['abc'], [], { as: 'query' })).toHaveLength(1);
    expect(await first).toHaveLength(10);
  });

  it('stops working on a call whose signal is aborted', async () => {
    const embedder = open();
    const gone = new AbortController();
    const call = embedder.embed(['abc', 'hang'], [], { signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(call).rejects.toThrow('gone');
    // The text that hangs was taken out of the queue
    expect(await embedder.embed(['abc'], [])).toHaveLength(1);
    await expect(embedder.embed(['abc'], [], { signal: gone.signal })).rejects.toThrow('gone');
  });

  it('does not block the event loop', async () => {
    const embedder = open({ timeoutMs: 400 });
    const hanging = embedder.embed(['hang'], []).catch(() => 'ended');
    expect(await Promise.race([hanging, setTimeout(20, 'free')])).toBe('free');
    await hanging;
  });

  it.each([
    ['model.onnx', 'fake/model.onnx'],
    ['vocab.txt', 'fake/vocab.txt'],
    ['fake.mjs', 'runtime/fake.mjs'],
    ['fake.wasm', 'runtime/fake.wasm'],
  ])('does not load a changed %s', async (_, path) => {
    await writeFile(join(directory, path), 'changed');
    await expect(open().embed(['abc'], [])).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('npx memrelay model add fake'),
    });
  });

  it('names the command that installs a missing model or runtime', async () => {
    await expect(findLocalModel(directory, 'absent')).rejects.toThrow(
      /the model absent is not installed in .*; install it with: npx memrelay model add absent/,
    );
    await expect(findLocalModel(directory, 'fake')).rejects.toThrow('the runtime of local models');
  });
});
