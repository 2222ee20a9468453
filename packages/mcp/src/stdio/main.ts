import { UsageError, usage } from './flags.ts';
import { serve } from './serve.ts';
import { readSettings, type Settings } from './settings.ts';
import { stderrLog } from './stderr-log.ts';

let serving = false;
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // A host may close its end while a response is being written.
  if (serving) process.exit(0);
  process.stderr.write(`memrelay-mcp: cannot write to stdout (${code}).\n`);
  process.exit(1);
});
process.stderr.on('error', () => undefined);

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const exitCode = await main();
// Wait for written output, but not for anything else, such as keep-alive connections.
// A failed write ends the process in the handler above.
process.stdout.write('', (error) => {
  if (!error) process.exit(exitCode);
});

async function main(): Promise<number> {
  let settings: Settings;
  try {
    settings = readSettings(process.argv.slice(2), process.env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`memrelay-mcp: ${error.message} Run with --help for usage.\n`);
    return 2;
  }
  // All code that looks for the local system reads this variable
  if (settings.dataDir !== undefined) process.env.MEM_DATA_DIR = settings.dataDir;
  const log = stderrLog(settings.debug);
  if (settings.action === 'help') {
    print(usage);
    return 0;
  }
  if (settings.action === 'serve' && !process.stdin.isTTY) {
    serving = true;
    await serve(settings, log, `node ${JSON.stringify(process.argv[1])}`);
    return 0;
  }
  // Loaded here, so that it does not delay the start by a host.
  const terminal = await import('./terminal.ts');
  if (settings.action === 'logout') return terminal.signOutFromTerminal(print);
  if (settings.code !== undefined) return terminal.bringCode(settings.code, print);
  if (settings.fromMemwal) return terminal.importFromMemwal(settings, print);
  if (settings.action === 'login') return terminal.signInFromTerminal(settings, log, print);
  return terminal.startFromTerminal(settings, log, print);
}
