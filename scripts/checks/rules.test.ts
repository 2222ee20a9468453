import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rules } from './rules.ts';
import { readSourceTree } from './source-tree.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'memrelay-rules-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The rule's findings in a tree of these files, as `file:line message`. */
function findings(ruleName: string, files: Record<string, string | object>): string[] {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  const rule = rules.find(({ name }) => name === ruleName)!;
  return rule.find(readSourceTree(root)).map(({ file, line, message }) => `${file}:${line ?? ''} ${message}`);
}

const manifest = (name: string, more: object = {}) => ({ name, ...more });
const workspaces = {
  'packages/protocol/package.json': manifest('@memrelay/protocol'),
  'packages/process/package.json': manifest('@memrelay/process'),
  'packages/blob-id/package.json': manifest('@memrelay/blob-id'),
  'packages/chain/package.json': manifest('@memrelay/chain'),
  'packages/sdk/package.json': manifest('@memrelay/sdk'),
  'testing/package.json': manifest('@memrelay/dev-env'),
  'apps/memrelay/package.json': manifest('memrelay'),
  'apps/relayer/package.json': manifest('@memrelay/relayer'),
  'apps/sidecar/package.json': manifest('@memrelay/sidecar'),
};

describe('readmes', () => {
  const relayer = { 'apps/relayer/package.json': manifest('@memrelay/relayer') };
  const example = '```\nnpm start\n```\n';

  it('wants a README in every workspace', () => {
    expect(findings('readmes', relayer)).toEqual([
      'apps/relayer/README.md: missing; start it with an example',
    ]);
  });

  it('wants it to start with an example', () => {
    const late = `# Relayer\n${'\n'.repeat(20)}${example}`;
    expect(findings('readmes', { ...relayer, 'apps/relayer/README.md': late })).toEqual([
      'apps/relayer/README.md: no example (a fenced block) in the first 15 lines',
    ]);
    const early = `# Relayer\n\nStores memories.\n\n${example}`;
    expect(findings('readmes', { ...relayer, 'apps/relayer/README.md': early })).toEqual([]);
  });
});

describe('import-directions', () => {
  it.each([
    ['apps/relayer/src/a.ts', '@memrelay/sidecar/keys', 'apps/relayer must not import apps/sidecar'],
    ['apps/relayer/test/a.test.ts', '@memrelay/sidecar/keys', 'apps/relayer must not import apps/sidecar'],
    ['apps/relayer/src/a.ts', '@memrelay/dev-env/boot', 'apps/relayer must not import testing'],
    ['apps/relayer/test/a.test.ts', 'memrelay/up', 'apps/relayer must not import apps/memrelay'],
    ['scripts/a.ts', 'memrelay/up', 'scripts must not import apps/memrelay'],
    [
      'packages/process/src/a.ts',
      '@memrelay/protocol/x',
      'packages/process must not import packages/protocol',
    ],
    ['packages/protocol/src/a.ts', '@memrelay/sdk/client', 'packages/protocol must not import packages/sdk'],
    ['packages/sdk/src/client.ts', '@memrelay/chain/read', 'packages/sdk must not import packages/chain'],
    ['packages/sdk/src/client.ts', '@memrelay/blob-id/x', 'packages/sdk must not import packages/blob-id'],
    ['packages/sdk/src/client.ts', './account.ts', 'the plain client must not import account or manual'],
    [
      'apps/relayer/src/a.ts',
      '../../../packages/protocol/src/x.ts',
      'reaches into packages/protocol by path',
    ],
    ['scripts/a.ts', '../apps/relayer/src/x.ts', 'scripts must not import apps/relayer'],
  ])('rejects %s importing %s', (file, specifier, message) => {
    const found = findings('import-directions', { ...workspaces, [file]: `\nimport '${specifier}';` });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${file}:2 ${message}`);
  });

  it.each([
    ['apps/relayer/src/a.ts', '@memrelay/protocol/errors'],
    ['apps/relayer/test/a.test.ts', '@memrelay/dev-env/boot'],
    ['scripts/a.test.ts', 'memrelay/program'],
    ['packages/protocol/test/a.test.ts', '@memrelay/sdk/client'],
    ['apps/memrelay/src/up.ts', '@memrelay/relayer/server'],
    ['testing/src/boot.ts', '@memrelay/sidecar/server'],
    ['packages/sdk/src/account.ts', '@memrelay/chain/read'],
    ['packages/sdk/src/manual/save.ts', '@memrelay/chain/read'],
    ['packages/sdk/src/manual/save.ts', '@memrelay/blob-id/blob-id'],
    ['packages/sdk/test/manual/save.test.ts', '@memrelay/blob-id/blob-id'],
    ['scripts/a.ts', '../testing/src/services/progress.mjs'],
    ['apps/memrelay/bin/memrelay.mjs', '../../../scripts/build/built.mjs'],
    ['apps/relayer/src/a.ts', 'fastify'],
  ])('accepts %s importing %s', (file, specifier) => {
    expect(findings('import-directions', { ...workspaces, [file]: `import '${specifier}';` })).toEqual([]);
  });
});

describe('import-cycles', () => {
  it('finds one through a package name and a type', () => {
    const found = findings('import-cycles', {
      ...workspaces,
      'packages/protocol/src/a.ts': "import type { B } from '@memrelay/chain/b';",
      'packages/chain/src/b.ts': "export * from './c.ts';",
      'packages/chain/src/c.ts': "const a = await import('@memrelay/protocol/a');",
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/(\S+) → \S+ → \S+ → \1$/);
  });

  it('accepts two paths to one file', () => {
    const found = findings('import-cycles', {
      'a.ts': "import './b.ts'; import './c.ts';",
      'b.ts': "import './d.ts';",
      'c.ts': "import './d.ts';",
      'd.ts': '',
    });
    expect(found).toEqual([]);
  });
});

describe('module-shape', () => {
  it.each([
    'export default function run() {}',
    'const run = 1;\nexport default run;',
    'const run = 1;\nexport { run as default };',
  ])('rejects a default export: %s', (text) => {
    expect(findings('module-shape', { 'a.ts': text })).toHaveLength(1);
  });

  it('accepts one in configuration files, and disables their default case', () => {
    const files = { 'vite.config.ts': 'export default {};', 'a.ts': 'switch (1) { default: break; }' };
    expect(findings('module-shape', files)).toEqual([]);
  });

  it('rejects barrels by name and by content', () => {
    const found = findings('module-shape', {
      'packages/x/src/index.ts': 'export const one = 1;',
      'packages/x/src/all.ts': "export * from './a.ts';\nexport { b } from './b.ts';",
      'packages/x/src/mixed.ts': "export { b } from './b.ts';\nexport const own = 1;",
    });
    expect(found.sort()).toEqual([
      'packages/x/src/all.ts: only re-exports other files',
      'packages/x/src/index.ts: index file; name it after what it does',
    ]);
  });
});

describe('file-names and file-sizes', () => {
  it('rejects names that are not kebab-case or say nothing', () => {
    const found = findings('file-names', {
      'apps/x/src/fooBar.ts': '',
      'apps/x/src/Foo/a.ts': '',
      'apps/x/src/utils/a.ts': '',
      'packages/x/src/helpers.ts': '',
      'packages/x/src/foo-bar.test.ts': '',
      'packages/x/README.md': '',
      'contracts/sources/delegate_keys.move': '',
      'apps/x/migrations/0001_memories.sql': '',
    });
    expect(found.map((line) => line.split(':')[0])).toEqual(
      expect.arrayContaining([
        'apps/x/src/fooBar.ts',
        'apps/x/src/Foo/a.ts',
        'apps/x/src/utils/a.ts',
        'packages/x/src/helpers.ts',
      ]),
    );
    expect(found).toHaveLength(4);
  });

  it('allows tests more lines than code', () => {
    const lines = (count: number) => 'x;\n'.repeat(count);
    const found = findings('file-sizes', {
      'a.ts': lines(301),
      'b.ts': lines(300),
      'b.test.ts': lines(400),
      'c.test.ts': lines(401),
    });
    expect(found).toEqual(['a.ts: 301 lines, at most 300', 'c.test.ts: 401 lines, at most 400']);
  });
});

describe('declared-dependencies', () => {
  const relayer = (dependencies: object, devDependencies: object = {}) => ({
    'package.json': { name: 'root', devDependencies: { vitest: '5' } },
    'apps/relayer/package.json': manifest('@memrelay/relayer', { dependencies, devDependencies }),
  });

  it('rejects undeclared dependencies, and production use of development ones', () => {
    const found = findings('declared-dependencies', {
      ...relayer({}, { pg: '8' }),
      'apps/relayer/src/a.ts':
        "import { Client } from 'pg';\nimport x from '@scope/x/deep';\nimport 'node:fs';",
      'apps/relayer/test/a.test.ts': "import 'pg';\nimport 'vitest';\nimport 'zod';",
    });
    expect(found).toEqual([
      'apps/relayer/src/a.ts:1 pg is not in the dependencies of apps/relayer',
      'apps/relayer/src/a.ts:2 @scope/x is not in the dependencies of apps/relayer',
      'apps/relayer/test/a.test.ts:3 zod is not in the dependencies or devDependencies of apps/relayer',
    ]);
  });

  it('rejects unused dependencies, and recognizes uses other than imports', () => {
    const found = findings('declared-dependencies', {
      ...relayer({ pg: '8', 'pino-pretty': '13', unneeded: '1' }, { '@types/pg': '8', '@types/other': '1' }),
      'apps/relayer/src/a.ts': "import 'pg';\nconst target = 'pino-pretty';",
    });
    expect(found).toEqual([
      'apps/relayer/package.json: unneeded is declared but not used',
      'apps/relayer/package.json: @types/other is declared but not used',
    ]);
  });
});

describe('browser-entries', () => {
  it('rejects Node in files that a browser loads, even through another file', () => {
    const found = findings('browser-entries', {
      'packages/sdk/src/client.ts': "import 'node:fs';\nimport './credentials-node.ts';",
      'packages/sdk/src/recall.ts': "import { x } from '@memrelay/envelope/at-rest';\nimport 'crypto';",
      'packages/sdk/src/credentials-node.ts': "import 'node:fs';",
      'packages/process/src/dir-lock.ts': "import 'node:fs';",
      'packages/sdk/src/client.test.ts': "import 'node:fs';",
      'apps/relayer/src/a.ts': "import 'node:fs';",
    });
    expect(found.sort()).toEqual([
      'packages/sdk/src/client.ts:1 imports node:fs',
      'packages/sdk/src/client.ts:2 imports ./credentials-node.ts',
      'packages/sdk/src/recall.ts:1 imports @memrelay/envelope/at-rest',
      'packages/sdk/src/recall.ts:2 imports crypto',
    ]);
  });
});
