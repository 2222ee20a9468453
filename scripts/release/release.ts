import { releaseChangelog } from './release-notes.ts';
import { checkNewer, type Files, setVersion } from './set-version.ts';

export interface PackedPackage {
  name: string;
  version: string;
  /** Of the tarball */
  path: string;
}

/** The effects of a release. In a dry run, `files.write` and `publish` do nothing. */
export interface ReleaseParts {
  files: Files;
  /** Brings the lockfile up to date with the manifests */
  lock(): Promise<void>;
  /** Builds and packs all packages, in the order in which they are published */
  pack(): Promise<PackedPackage[]>;
  isPublished(item: PackedPackage): Promise<boolean>;
  publish(item: PackedPackage, tag: string): Promise<void>;
  /** Builds the Python package. Returns its version, and what publishes it unless PyPI has it already */
  buildPython(): Promise<{ version: string; publish(): Promise<void> }>;
  say(line: string): void;
}

/** Writes the version and the changelog. Nothing is committed. Throws for a version that is not newer. */
export async function prepare(parts: ReleaseParts, next: string, date: string): Promise<void> {
  const { files, say } = parts;
  const current = JSON.parse(files.read('package.json')).version as string;
  checkNewer(current, next);
  const { text, notes } = releaseChangelog(files.read('CHANGELOG.md'), next, date);
  files.write('CHANGELOG.md', text);
  setVersion(files, current, next);
  await parts.lock();
  say(
    `Version ${current} → ${next}, ${notes.split('\n').filter((line) => line.startsWith('- ')).length} changes.`,
  );
  say(`Next: npm test, commit "release: version ${next}", tag v${next}, push the tag.`);
}

/**
 * Packs everything and publishes it in order. A package whose version is already in the registry is left out, so that a release
 * that was cut off can be repeated. Throws, before anything is published, if `tag` is not that of the version.
 */
export async function publish(parts: ReleaseParts, tag: string | undefined): Promise<void> {
  const { files, say } = parts;
  const { version } = JSON.parse(files.read('package.json')) as { version: string };
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`the tag is ${tag}, the version ${version}`);
  const services = JSON.parse(files.read('packages/mcp/src/services.json')) as Record<string, unknown>;
  for (const [name, service] of Object.entries(services))
    if (service === null) say(`memrelay-mcp has no service for --${name} (packages/mcp/src/services.json).`);
  const packed = await parts.pack();
  const python = await parts.buildPython();
  const built = [...packed, { name: 'the Python package', version: python.version }];
  const other = built.filter((item) => item.version !== version);
  if (other.length > 0)
    throw new Error(`${other.map(({ name }) => name).join(', ')}: not version ${version}`);
  for (const item of packed) {
    if (await parts.isPublished(item)) say(`${item.name} ${version} is already published`);
    // `npm install` must not choose a pre-release
    else await parts.publish(item, version.includes('-') ? 'next' : 'latest');
  }
  await python.publish();
}
