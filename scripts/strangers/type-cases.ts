import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packages } from '../build/packages.mjs';
import { expectIn, type StrangerCase } from './case.ts';
import { typedNodeProgram, typedProgram } from './programs.ts';
import { tool } from './tools.ts';
import type { Workbench } from './workbench.ts';

const sdk = ['@memrelay/sdk', '@memrelay/blob-id'];
const compiler = 'typescript@6.0.3';

/** Compiles files and checks all declarations of packages. Node's types are included only if requested. */
async function compile(
  bench: Workbench,
  cwd: string,
  files: readonly string[],
  options: object,
): Promise<void> {
  const compilerOptions = { strict: true, noEmit: true, target: 'es2022', types: [], ...options };
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  await bench.run(process.execPath, [join(cwd, 'node_modules/typescript/bin/tsc')], { cwd });
}

export const typeCases: readonly StrangerCase[] = [
  {
    name: 'tsc --strict, nodenext',
    async run({ bench, install }) {
      const cwd = await install('types', sdk, [compiler]);
      writeFileSync(join(cwd, 'program.mts'), typedProgram);
      writeFileSync(join(cwd, 'program.cts'), typedProgram);
      await compile(bench, cwd, ['program.mts', 'program.cts'], {
        module: 'nodenext',
        lib: ['es2022', 'dom'],
      });
      return 'ESM and CommonJS, without @types/node';
    },
  },
  {
    name: 'tsc --strict, bundler',
    async run({ bench, install }) {
      const cwd = await install('types', sdk, [compiler]);
      writeFileSync(join(cwd, 'program.ts'), typedProgram);
      const options = { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'] };
      await compile(bench, cwd, ['program.ts'], options);
      return 'without @types/node';
    },
  },
  {
    name: 'tsc --strict, entries for Node',
    async run({ bench, install }) {
      const others = [compiler, '@types/node@24', '@mysten/sui@2.33.1', '@mysten/seal@1.4.12'];
      const cwd = await install('types-node', [...sdk, '@memrelay/blobstore'], others);
      writeFileSync(join(cwd, 'program.mts'), typedNodeProgram);
      // The declarations of the chain client are not ours to check
      const options = { module: 'nodenext', lib: ['es2022'], types: ['node'], skipLibCheck: true };
      await compile(bench, cwd, ['program.mts'], options);
      return 'account, manual, credentials, pool, blobstore';
    },
  },
  {
    name: 'publint',
    async run({ bench, tarballs }) {
      const publint = await tool(bench, 'checks', 'publint');
      for (const { name } of packages) {
        const { path } = tarballs.get(name)!;
        const output = await bench.run(process.execPath, [publint, path, '--strict'], { cwd: bench.root });
        expectIn(output, 'All good!');
      }
      return `${packages.length} packages, nothing to report`;
    },
  },
  {
    name: 'are the types wrong',
    async run({ bench, tarballs }) {
      const attw = await tool(bench, 'checks', 'attw');
      const typed = packages.filter(({ declared }) => declared.length > 0);
      for (const item of typed) {
        const { path } = tarballs.get(item.name)!;
        // Programs are ESM only, on purpose
        const profile = item.kind === 'program' ? ['--profile', 'esm-only'] : [];
        // The tool fails if it finds a problem
        await bench.run(process.execPath, [attw, path, ...profile], { cwd: bench.root });
      }
      return `${typed.length} packages with types, nothing to report`;
    },
  },
];
