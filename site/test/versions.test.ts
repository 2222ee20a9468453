import { expect, it } from 'vitest';
import { describedVersion, releasedVersions } from '../src/versions.ts';

const changelog = `# Changes

## Unreleased

- More.

## 0.2.0 (2026-12-24)

### Added

## 0.2.0-rc.1 (2026-12-20)

## 0.1.0 (2026-12-01)
`;

it('lists the released versions, newest first', () => {
  expect(releasedVersions(changelog)).toEqual([
    { name: '0.2.0', path: 'v0.2.0/' },
    { name: '0.2.0-rc.1', path: 'v0.2.0-rc.1/' },
    { name: '0.1.0', path: 'v0.1.0/' },
  ]);
});

it('says that a version without an entry in the changelog is not released', () => {
  expect(describedVersion([])).toMatch(/^\d+\.\d+\.\d+ \(unreleased\)$/);
  const [version = ''] = describedVersion([]).split(' ');
  expect(describedVersion([{ name: version, path: `v${version}/` }])).toBe(version);
});
