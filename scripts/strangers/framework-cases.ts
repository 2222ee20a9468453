import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectIn, type StrangerCase } from './case.ts';
import { type FrameworkModel, frameworkModels } from './framework-models.ts';
import { remembered } from './programs.ts';
import { nodeOf } from './tools.ts';

/** An adapter and the versions of its framework that its package allows, oldest first. */
interface Framework extends FrameworkModel {
  folder: string;
  /** The framework's main package, whose version is shown */
  shown: string;
  versions: readonly (readonly string[])[];
}

const frameworks: readonly Framework[] = [
  {
    folder: 'ai-sdk',
    shown: 'ai',
    versions: [
      ['ai@5.0.0', 'zod@4'],
      ['ai@6.0.0', 'zod@4'],
      ['ai@7', 'zod@4'],
    ],
    ...frameworkModels.aiSdk,
  },
  {
    folder: 'langchain',
    shown: '@langchain/langgraph',
    versions: [
      ['@langchain/langgraph@1.0.0', '@langchain/core@1.0.1', '@langchain/langgraph-checkpoint@1.0.0'],
      ['@langchain/langgraph@1', '@langchain/core@1', '@langchain/langgraph-checkpoint@1'],
    ].map((packages) => [...packages, 'zod@4']),
    files: {},
  },
  {
    folder: 'openai-agents',
    shown: '@openai/agents',
    versions: [
      ['@openai/agents@0.3.0', 'zod@4'],
      ['@openai/agents@0', 'zod@4'],
    ],
    ...frameworkModels.openaiAgents,
  },
];

/** The first program of an adapter's README, unchanged. */
function readmeProgram(folder: string): string {
  const readme = readFileSync(new URL(`../../integrations/${folder}/README.md`, import.meta.url), 'utf8');
  return /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
}

/** Version of a package that is installed in a folder. */
function installedVersion(cwd: string, name: string): string {
  return JSON.parse(readFileSync(join(cwd, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/**
 * The README program of each adapter with the oldest and newest versions of its framework, on the oldest Node that these run on.
 * In the place of the model's provider it finds a package that answers with what it was sent.
 */
export const frameworkCases: readonly StrangerCase[] = frameworks.flatMap((framework) =>
  framework.versions.map((packages): StrangerCase => {
    const { folder, shown } = framework;
    return {
      name: `@memrelay/${folder}, ${packages[0]}`,
      async run({ bench, install, system }) {
        const { env } = await system();
        const name = `framework-${packages[0]!.replace(/[^\w.]+/g, '-')}`;
        const own = [`@memrelay/${folder}`, '@memrelay/sdk'];
        const cwd = await install(name, own, [...packages, 'typescript@6.0.3', '@types/node@24']);
        for (const [file, text] of Object.entries(framework.files)) bench.folder(name, { [file]: text });
        const program = readmeProgram(folder);
        writeFileSync(join(cwd, 'readme.mjs'), program);
        writeFileSync(join(cwd, 'readme.mts'), program);
        const node = await nodeOf(bench, '22');
        const preload = framework.preload === undefined ? [] : ['--import', `./${framework.preload}`];
        expectIn(await bench.run(node, [...preload, 'readme.mjs'], { cwd, env }), remembered);
        await bench.run(node, ['--input-type=commonjs', '-e', `require('@memrelay/${folder}')`], { cwd });
        const flags = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--types', 'node'];
        const compiler = join(cwd, 'node_modules/typescript/bin/tsc');
        await bench.run(node, [compiler, ...flags, '--module', 'nodenext', 'readme.mts'], { cwd });
        return `${shown} ${installedVersion(cwd, shown)}: README program, require() and tsc`;
      },
    };
  }),
);
