import { read, version } from './base/repository.ts';

export interface SiteVersion {
  name: string;
  /** Folder below the root of the site; the newest version is also at the root itself */
  path: string;
}

/** Released versions, newest first: the headings of the changelog, which `npm run release -- prepare` writes. */
export function releasedVersions(changelog = read('CHANGELOG.md')): SiteVersion[] {
  return [...changelog.matchAll(/^## \[?v?(\d+\.\d+\.\d+(?:-[\w.-]+)?)/gm)].map(([, name]) => ({
    name: name!,
    path: `v${name}/`,
  }));
}

/** The version that this site describes: a released one, or what comes next. */
export function describedVersion(released = releasedVersions()): string {
  return released.some(({ name }) => name === version) ? version : `${version} (unreleased)`;
}
