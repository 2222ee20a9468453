import { describe, expect, it } from 'vitest';
import { manifestFiles, type Requirement, readManifest, subjects } from './manifest.ts';
import { repository } from './repository.ts';
import { testTitles } from './test-titles.ts';

const requirements = readManifest();

/** Ids of the entries that break a rule, with the reason. */
function broken(rule: (entry: Requirement) => string | undefined): string[] {
  return requirements.flatMap((entry) => {
    const reason = rule(entry);
    return reason === undefined ? [] : [`${entry.id}: ${reason}`];
  });
}

describe('every requirement', () => {
  it('has a unique id', () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    expect(
      broken(({ id }) => (/^[a-z0-9]+(?:[.-][a-z0-9_]+)+$/.test(id) ? undefined : 'not dotted')),
    ).toEqual([]);
  });

  it('has a source and a statement', () => {
    const source = /^(?:relayer|blob-store|decisions|security)\.md#[a-z0-9-]+$/;
    expect(broken((entry) => (source.test(entry.source) ? undefined : entry.source))).toEqual([]);
    expect(broken(({ statement }) => (/^\S.*\.$/.test(statement) ? undefined : statement))).toEqual([]);
  });

  it('is built and names tests, or is planned and names its subject', () => {
    expect(
      broken(({ status, tests, planned }) => {
        if (status === 'built') {
          if (!tests?.length) return 'built, and no test proves it';
          return planned === undefined ? undefined : 'built, and still planned';
        }
        if (status !== 'planned') return `unknown status ${status}`;
        if (tests !== undefined) return 'planned, and names tests';
        return subjects.includes(planned ?? '') ? undefined : `unknown subject ${planned}`;
      }),
    ).toEqual([]);
  });

  it('names existing tests', () => {
    const titlesOf = new Map<string, ReadonlySet<string>>();
    const exists = (reference: string): boolean => {
      const [path = '', ...title] = reference.split(' > ');
      if (!path.endsWith('.test.ts') || !repository.paths.includes(path)) return false;
      const titles = titlesOf.get(path) ?? testTitles(repository.read(path));
      titlesOf.set(path, titles);
      return titles.has(title.join(' > '));
    };
    expect(
      broken(({ tests = [] }) => tests.find((reference) => !exists(reference))),
      'a test was renamed or removed: name another that proves the statement, or mark it planned',
    ).toEqual([]);
  });
});

it('the manifest covers all four documents', () => {
  expect(manifestFiles.length).toBeGreaterThan(0);
  const documents = new Set(requirements.map(({ source }) => source.split('#')[0]));
  expect([...documents].sort()).toEqual(['blob-store.md', 'decisions.md', 'relayer.md', 'security.md']);
});
