import { describe, expect, it } from 'vitest';
import { pythonVersion } from '../build/python-package.ts';
import { type PackedPackage, prepare, publish, type ReleaseParts } from './release.ts';
import { checkNewer } from './set-version.ts';

/** A repository with two workspaces, of which the second uses the first, and a registry. */
function world(files: Record<string, string> = {}, published: readonly string[] = []) {
  const all: Record<string, string> = {
    'package.json': '{ "name": "root", "version": "0.1.0" }',
    'packages/a/package.json': '{ "name": "a", "version": "0.1.0" }',
    'apps/b/package.json':
      '{ "name": "b", "version": "0.1.0", "dependencies": { "a": "0.1.0", "zod": "^4.0.0" } }',
    'packages/protocol/src/versions.ts': "export const relayerVersion = '0.1.0';\n",
    'clients/python/src/memrelay/version.py': '"""The version."""\n\n__version__ = "0.1.0"\n',
    'packages/mcp/src/services.json': '{ "prod": null, "staging": null }',
    'CHANGELOG.md': '# Changes\n\n## Unreleased\n\n- One.\n- Two.\n\n## 0.0.1 (2026-01-01)\n\n- Zero.\n',
    ...files,
  };
  const done: string[] = [];
  const said: string[] = [];
  const packed: PackedPackage[] = ['a', 'b'].map((name) => ({ name, version: '0.1.0', path: `${name}.tgz` }));
  const parts: ReleaseParts = {
    files: {
      read: (path) => all[path]!,
      write: (path, text) => {
        all[path] = text;
      },
      manifests: Object.keys(all).filter((path) => path.endsWith('package.json')),
    },
    lock: async () => void done.push('lock'),
    pack: async () => packed,
    isPublished: async ({ name }) => published.includes(name),
    publish: async ({ name }, tag) => void done.push(`publish ${name} ${tag}`),
    buildPython: async () => ({
      version: pythonVersion(all['clients/python/src/memrelay/version.py']!),
      publish: async () => void done.push('publish python'),
    }),
    say: (line) => void said.push(line),
  };
  return { all, done, said, parts, packed };
}

describe('prepare', () => {
  it('writes the version everywhere and moves the unreleased changes below it', async () => {
    const { all, done, parts } = world();
    await prepare(parts, '0.2.0', '2026-12-01');
    expect(JSON.parse(all['package.json']!).version).toBe('0.2.0');
    expect(JSON.parse(all['apps/b/package.json']!)).toMatchObject({
      version: '0.2.0',
      dependencies: { a: '0.2.0', zod: '^4.0.0' },
    });
    expect(all['packages/protocol/src/versions.ts']).toBe("export const relayerVersion = '0.2.0';\n");
    expect(pythonVersion(all['clients/python/src/memrelay/version.py']!)).toBe('0.2.0');
    expect(all['CHANGELOG.md']).toBe(
      '# Changes\n\n## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n- One.\n- Two.\n\n## 0.0.1 (2026-01-01)\n\n- Zero.\n',
    );
    expect(done).toEqual(['lock']);
  });

  it('writes nothing when the version is not newer, or nothing has changed since the last one', async () => {
    for (const [next, files] of [
      ['0.1.0', {}],
      ['0.0.9', {}],
      ['0.2.0', { 'CHANGELOG.md': '# Changes\n\n## Unreleased\n\n## 0.1.0 (2026-01-01)\n\n- One.\n' }],
    ] as const) {
      const { all, parts } = world(files);
      const before = structuredClone(all);
      await expect(prepare(parts, next, '2026-12-01')).rejects.toThrow();
      expect(all).toEqual(before);
    }
  });
});

describe('publish', () => {
  it('publishes in order, and reports services that are not set', async () => {
    const { done, said, parts } = world();
    await publish(parts, 'v0.1.0');
    expect(done).toEqual(['publish a latest', 'publish b latest', 'publish python']);
    expect(said[0]).toContain('no service for --prod');
  });

  it('leaves out what an earlier attempt has published', async () => {
    const { done, parts } = world({}, ['a']);
    await publish(parts, undefined);
    expect(done).toEqual(['publish b latest', 'publish python']);
  });

  it('publishes nothing for another tag, or when a package has another version', async () => {
    const { all, done, parts, packed } = world();
    await expect(publish(parts, 'v0.2.0')).rejects.toThrow('the tag is v0.2.0');
    packed[1]!.version = '0.0.9';
    await expect(publish(parts, undefined)).rejects.toThrow('b: not version 0.1.0');
    packed[1]!.version = '0.1.0';
    all['clients/python/src/memrelay/version.py'] = '__version__ = "0.0.9"\n';
    await expect(publish(parts, undefined)).rejects.toThrow('the Python package: not version 0.1.0');
    expect(done).toEqual([]);
  });

  it('does not make a pre-release the latest version', async () => {
    const { done, parts, packed } = world({
      'package.json': '{ "name": "root", "version": "0.2.0-rc.1" }',
      'clients/python/src/memrelay/version.py': '__version__ = "0.2.0-rc.1"\n',
    });
    for (const item of packed) item.version = '0.2.0-rc.1';
    await publish(parts, undefined);
    expect(done).toEqual(['publish a next', 'publish b next', 'publish python']);
  });
});

it('orders versions by number, and a pre-release before its release', () => {
  expect(() => checkNewer('0.9.0', '0.10.0')).not.toThrow();
  expect(() => checkNewer('1.0.0-rc.1', '1.0.0')).not.toThrow();
  expect(() => checkNewer('1.0.0', '1.0.0-rc.1')).toThrow('does not come after');
  expect(() => checkNewer('1.0.0', 'latest')).toThrow('not a version');
});
