import { join } from 'node:path';
import { CommandError, runCommand } from '../../testing/src/services/run-command.ts';
import type { Finding, Rule } from './rule.ts';
import { rules } from './rules.ts';
import { readSourceTree, type SourceTree } from './source-tree.ts';

export interface CheckResult {
  name: string;
  passed: boolean;
  /** What is wrong, where and why it matters; empty when passed. */
  report: string;
  seconds: number;
}

/** Types, formatting and lint, and the rules of the house; each is one check. */
export async function runChecks(root: string): Promise<CheckResult[]> {
  const tool = (name: string) => join(root, 'node_modules', '.bin', name);
  const tools = [
    runTool('types', tool('tsc'), ['--noEmit', '--pretty', 'false', '--project', root], root),
    runTool('biome', tool('biome'), ['check', '--diagnostic-level=warn', '--max-diagnostics=50', root], root),
  ];
  const tree = readSourceTree(root);
  return [...(await Promise.all(tools)), ...rules.map((rule) => runRule(rule, tree))];
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
