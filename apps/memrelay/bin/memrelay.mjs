#!/usr/bin/env node
/**
 * Entry of `npx memrelay`. Plain JavaScript for old Nodes: one that cannot run TypeScript starts the command
 * again under Node 24 from npm.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const [major = 0] = process.versions.node.split('.').map(Number);
// It runs TypeScript as it is, and has `await using`.
const newEnough = major >= 24;

endWithShell();
if (newEnough) {
  hideExperimentalWarnings();
  await import('../src/main.ts');
} else {
  process.exitCode = await runUnder(await newerNode());
}

/** Path of a Node 24 that npx keeps in its cache. */
async function newerNode() {
  // On stderr and only when it takes long, so that --json stays clean and a warm cache is silent.
  const slow = setTimeout(() => console.error('Getting Node 24 from npm (about 60 MB, once) …'), 2_000);
  const npx = spawn('npx', ['-y', 'node@24', '--print', 'process.execPath'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  let path = '';
  npx.stdout.on('data', (text) => (path += text));
  const code = await new Promise((resolve) => npx.once('error', resolve).once('close', resolve));
  clearTimeout(slow);
  if (code === 0) return path.trim();
  console.error(
    `Node ${process.versions.node} is too old, and Node 24 could not be downloaded from npm. Install Node 24 or newer (https://nodejs.org) and try again.`,
  );
  process.exit(1);
}

function runUnder(node) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env,
  });
  // Ctrl-C in a terminal reaches the child by itself; a signal for this process alone must be handed on.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** Early releases of Node 24 announce on every start that running TypeScript is new. Other warnings stay. */
function hideExperimentalWarnings() {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') for (const print of printers) print(warning);
  });
}

/**
 * npm and npx start a script through a shell, which a signal ends without reaching this process: so it ends itself, as by
 * that signal, when the shell is gone.
 */
function endWithShell() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}
