import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { codeBlocks } from './markdown.ts';
import { repository, root } from './repository.ts';

/** Pages with TypeScript for readers to copy. */
const pages = [
  'README.md',
  'docs/tutorial.md',
  'docs/connect-an-app.md',
  'docs/frameworks.md',
  'docs/analyze-and-ask.md',
  'docs/export-and-import.md',
  'docs/stored-memories.md',
  'docs/manual-mode.md',
  'docs/tools-over-http.md',
  'docs/recipes/chat-that-remembers.md',
  'docs/recipes/private-manual-mode.md',
  'docs/recipes/moving-from-mem0.md',
  'integrations/ai-sdk/README.md',
  'integrations/langchain/README.md',
  'integrations/openai-agents/README.md',
  'integrations/sdk-skill/skills/memrelay-sdk/SKILL.md',
  'packages/chain/README.md',
  'packages/protocol/README.md',
];

it('the TypeScript of the documents compiles against the current SDK', () => {
  const snippets = new Map(
    pages.flatMap((page) =>
      codeBlocks(repository.read(page))
        .filter(({ language }) => language === 'ts')
        // In the root, where the names of the workspaces resolve
        .map(({ code }, i) => [join(root, `${page.replace(/\W/g, '-')}-${i}.ts`), code] as const),
    ),
  );
  expect(snippets.size).toBeGreaterThan(2);
  expect(problemsOf(snippets)).toEqual([]);
});

it('a snippet with a wrong name is detected', () => {
  const code = "import { MemRelay } from '@memrelay/sdk/mem-relay';\nexport const x = MemRelay.remembr;\n";
  expect(problemsOf(new Map([[join(root, 'wrong.ts'), code]]))).toHaveLength(1);
});

function problemsOf(snippets: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.node.json'), ts.sys.readFile);
  // Some of it runs in Node, some in a page
  const compilerOptions = { ...config.compilerOptions, lib: ['es2024', 'dom'] };
  const { options } = ts.parseJsonConfigFileContent(
    { ...config, compilerOptions, include: [], files: [] },
    ts.sys,
    root,
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (path) => snippets.get(path) ?? readFile(path);
  host.fileExists = (path) => snippets.has(path) || fileExists(path);
  const program = ts.createProgram(
    [...snippets.keys()],
    { ...options, moduleDetection: ts.ModuleDetectionKind.Force },
    host,
  );
  return [...snippets.keys()].flatMap((path) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(
        ({ messageText }) =>
          `${path.slice(root.length)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      ),
  );
}
