import { join } from 'node:path';
import { CommandError, runCommand } from '../../testing/src/services/run-command.mjs';
import { comparePassedFiles } from './passed-files.ts';
import type { Finding, Rule } from './rule.ts';
import { rules } from './rules.ts';
import { readSourceTree, type SourceTree } from './source-tree.ts';

export interface CheckResult {
  name: string;
  passed: boolean;
  /** The findings with location and reason; empty when passed. */
  report: string;
  seconds: number;
}

/** Runs types, formatting and lint, and each house rule, each as one check. */
export async function runChecks(root: string): Promise<CheckResult[]> {
  // The slowest check starts first. The rules run in this process while the tools run in separate ones.
  const types = runTool('types', tool(root, 'tsc'), ['--build', '--pretty', 'false', root], root);
  const tree = readSourceTree(root);
  const tools = [types, runBiome(tree)];
  const results = rules.map((rule) => runRule(rule, tree));
  return [...(await Promise.all(tools)), ...results];
}

const biomeFile = /\.(?:ts|tsx|mts|mjs|js|json|jsonc|css|html)$/;
/** If more files have changed, all files are checked: the length of a command line is limited, and little time would be saved. */
const maxNamedFiles = 300;

/** Lint and formatting depend on one file at a time, so only changed files are checked. */
async function runBiome(tree: SourceTree): Promise<CheckResult> {
  const { root } = tree;
  const code = new Map(tree.code.map(({ path, text }) => [path, text]));
  const files = tree.paths
    .filter((path) => biomeFile.test(path))
    .map((path) => ({ path, text: code.get(path) ?? tree.read(path) }));
  const settings = ['biome.json', '.gitignore', 'package-lock.json']
    .filter((path) => tree.paths.includes(path))
    .map((path) => tree.read(path));
  const passed = comparePassedFiles(
    join(root, 'node_modules/.cache/memrelay-checks/biome.json'),
    settings,
    files,
  );
  const named = passed.changed.length > maxNamedFiles ? [root] : passed.changed;
  if (named.length === 0) return { name: 'biome', passed: true, report: '', seconds: 0 };
  const args = [
    'check',
    '--diagnostic-level=warn',
    '--max-diagnostics=50',
    '--no-errors-on-unmatched',
    ...named,
  ];
  const result = await runTool('biome', tool(root, 'biome'), args, root);
  if (result.passed) passed.save();
  return result;
}

function tool(root: string, name: string): string {
  return join(root, 'node_modules', '.bin', name);
}

async function runTool(name: string, command: string, args: string[], cwd: string): Promise<CheckResult> {
  const started = performance.now();
  const result = (report: string | undefined) => ({
    name,
    passed: report === undefined,
    report: report ?? '',
    seconds: secondsSince(started),
  });
  try {
    await runCommand(command, args, { cwd });
    return result(undefined);
  } catch (error) {
    if (error instanceof CommandError) return result(error.output.trim() || error.message);
    throw error;
  }
}

function runRule(rule: Rule, tree: SourceTree): CheckResult {
  const started = performance.now();
  const findings = rule.find(tree);
  return {
    name: rule.name,
    passed: findings.length === 0,
    report: [...findings.map(describe), ...(findings.length > 0 ? [`Why: ${rule.why}.`] : [])].join('\n'),
    seconds: secondsSince(started),
  };
}

function describe({ file, line, message }: Finding): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${message}`;
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}
