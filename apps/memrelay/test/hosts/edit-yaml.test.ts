import { expect, it } from 'vitest';
import { removeFromYaml, setInYaml, yamlAt } from '../../src/hosts/edit-yaml.ts';

const path = ['extensions', 'memrelay'];
const entry = { enabled: true, type: 'stdio', args: ['--label=Goose'], timeout: 300 };
const text = `# my settings
GOOSE_PROVIDER: "anthropic" # the good one
extensions:
  developer:
    enabled: true # keep

    name: developer
GOOSE_MODE: auto
`;

it('adds and removes an entry, and keeps every comment in its place', () => {
  const added = setInYaml(text, path, entry);
  for (const comment of ['# my settings', '# the good one', '# keep']) expect(added).toContain(comment);
  expect(yamlAt(added, path)).toEqual(entry);
  expect(yamlAt(added, ['extensions', 'developer'])).toEqual({ enabled: true, name: 'developer' });
  expect(removeFromYaml(added, path)).toBe(text);
  expect(removeFromYaml(text, path)).toBe(text);
});

it('adds the entry to an empty file, and to an empty section', () => {
  expect(yamlAt(setInYaml('', path, entry), path)).toEqual(entry);
  expect(yamlAt(setInYaml('# nothing yet\nextensions:\n', path, entry), path)).toEqual(entry);
});

it('rejects what it cannot change safely', () => {
  for (const wrong of ['- a list\n', 'extensions: text\n', 'a: [1\n', 'a: 1\na: 2\n'])
    expect(() => setInYaml(wrong, path, entry), wrong).toThrow();
  // An alias would change in both places
  const shared = 'base: &b\n  x: 1\nextensions: *b\n';
  expect(() => setInYaml(shared, path, entry)).toThrow();
});
