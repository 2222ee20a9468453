#!/usr/bin/env node
/**
 * Entry of `npm start`, `npm test`, `npm run check`, `npm run demo` and `npm run bench`. It works on a fresh
 * clone with nothing installed and with a Node too old for the rest: this file alone is plain JavaScript
 * for old Nodes, everything behind it is TypeScript that a newer Node runs as it is.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';

const [major = 0] = process.versions.node.split('.').map(Number);
// It runs TypeScript as it is, and has `await using`.
const newEnough = major >= 24;

endWithShell();
if (newEnough) {
  hideExperimentalWarnings();
  const { launch } = await import('./launch/launch.ts');
  process.exitCode = await launch(process.argv.slice(2));
} else {
  console.error(`Node ${process.versions.node} is older than 24. Using Node 24 from npm.`);
  process.exitCode = await runAgainWith(await newerNode());
}

/** Path of a Node 24 that npx keeps in its cache. */
async function newerNode() {
  const started = Date.now();
  const timer = setInterval(() => {
    console.error(
      `Getting Node 24 (about 60 MB the first time) … ${Math.round((Date.now() - started) / 1000)} s`,
    );
  }, 3_000);
  const npx = spawn('npx', ['-y', '--fetch-retries=1', 'node@24', '--print', 'process.execPath'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of Object.keys(printed)) npx[name].on('data', (text) => (printed[name] += text));
  const failure = await new Promise((resolve) => {
    npx.on('error', (error) => resolve(error.message));
    npx.on('close', (code) => resolve(code === 0 ? undefined : printed.stderr.trim()));
  });
  clearInterval(timer);
  if (failure === undefined) return printed.stdout.trim();
  const code = /^npm (?:error|ERR!) code (\S+)$/m.exec(failure)?.[1];
  console.error(`Node 24 could not be downloaded from npm (${code ?? failure}).`);
  console.error('Install Node 24 or newer (https://nodejs.org), or check the connection, and try again.');
  process.exit(1);
}

/** The same command under another Node, which also comes first in PATH for what it starts. */
function runAgainWith(node) {
  process.env.PATH = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
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
