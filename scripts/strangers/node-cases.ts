import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectIn, type StrangerCase } from './case.ts';
import { blobstoreProgram, importProgram, readmeProgram, remembered, requireProgram } from './programs.ts';
import { nodeOf, nodeVersions, tool } from './tools.ts';

const sdk = ['@memrelay/sdk', '@memrelay/blob-id'];

/** The README program and the other entries on every Node, and on Bun and Deno. */
export const runtimeCases: readonly StrangerCase[] = [
  ...nodeVersions.flatMap((version): StrangerCase[] => [
    {
      name: `README program, Node ${version}`,
      async run({ bench, install, system }) {
        const node = await nodeOf(bench, version);
        const { env } = await system();
        const cwd = await install('sdk', sdk);
        writeFileSync(join(cwd, 'readme.mjs'), readmeProgram());
        expectIn(await bench.run(node, ['readme.mjs'], { cwd, env }), remembered);
        return (await bench.run(node, ['--version'], { cwd })).trim();
      },
    },
    {
      name: `require(), Node ${version}`,
      async run({ bench, install, system }) {
        const node = await nodeOf(bench, version);
        const { env } = await system();
        const cwd = await install('sdk', sdk);
        writeFileSync(join(cwd, 'program.cjs'), requireProgram);
        expectIn(await bench.run(node, ['program.cjs'], { cwd, env }), remembered);
        return 'sdk, bundle, credentials, blob-id, pool';
      },
    },
    {
      name: `account, manual and pool entries, Node ${version}`,
      async run({ bench, install }) {
        const node = await nodeOf(bench, version);
        const cwd = await install('chain', sdk, ['@mysten/sui@2.33.1', '@mysten/seal@1.4.12']);
        writeFileSync(join(cwd, 'entries.mjs'), importProgram);
        expectIn(await bench.run(node, ['entries.mjs'], { cwd }), 'entries work');
        return '';
      },
    },
    {
      name: `createBlobStore, Node ${version}`,
      async run({ bench, install }) {
        const node = await nodeOf(bench, version);
        const cwd = await install('blobstore', ['@memrelay/blobstore']);
        writeFileSync(join(cwd, 'store.mjs'), blobstoreProgram);
        expectIn(await bench.run(node, ['store.mjs'], { cwd }), 'stored, read and expired');
        return '';
      },
    },
  ]),
  {
    name: 'README program, Bun',
    async run({ bench, install, system }) {
      const bun = await tool(bench, 'bun', 'bun');
      const { env } = await system();
      const cwd = await install('sdk', sdk);
      writeFileSync(join(cwd, 'readme.mjs'), readmeProgram());
      expectIn(await bench.run(bun, ['readme.mjs'], { cwd, env }), remembered);
      return (await bench.run(bun, ['--version'], { cwd })).trim();
    },
  },
  {
    name: 'README program, Deno',
    async run({ bench, install, system }) {
      const deno = await tool(bench, 'deno', 'deno');
      const { env } = await system();
      const cwd = await install('sdk', sdk);
      writeFileSync(join(cwd, 'readme.mjs'), readmeProgram());
      expectIn(await bench.run(deno, ['run', '--allow-all', 'readme.mjs'], { cwd, env }), remembered);
      return (await bench.run(deno, ['--version'], { cwd })).split('\n')[0]!;
    },
  },
];
