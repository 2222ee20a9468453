import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build/repository.mjs';

/** What we publish is bundled from the workspaces in these folders; the site, tests and benchmarks are not installed with it. */
const publishedFolders = ['apps', 'integrations', 'packages'];

/** The arguments of npm that print the bill of materials (CycloneDX) of what we publish. */
export function billArguments(): string[] {
  const workspaces = publishedFolders.flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => ['--workspace', `${folder}/${name}`]),
  );
  return ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only', ...workspaces];
}
