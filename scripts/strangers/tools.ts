import { join } from 'node:path';
import type { Workbench } from './workbench.ts';

/** The tools that the cases use, as packages of the registry. Packages of runtimes contain their binaries. */
const packages = {
  node20: ['node@20'],
  node22: ['node@22'],
  bun: ['bun@1'],
  deno: ['deno@2'],
  workerd: ['workerd@1'],
  checks: ['publint@0.3', '@arethetypeswrong/cli@0.18'],
} as const;

export const nodeVersions = ['20', '22', '24'] as const;
export type NodeVersion = (typeof nodeVersions)[number];

/** Path of a program. Throws `UnreachableError`. */
export async function tool(bench: Workbench, name: keyof typeof packages, program: string): Promise<string> {
  const folder = await bench.install(`tools-${name}`, packages[name]);
  return join(folder, 'node_modules', '.bin', program);
}

/** Path of a Node of this version; 24 is the one that runs this. */
export function nodeOf(bench: Workbench, version: NodeVersion): Promise<string> {
  if (version === '24') return Promise.resolve(process.execPath);
  return tool(bench, `node${version}`, 'node');
}
