/**
 * Shows that a long step is alive. Lines go to stderr, so that stdout stays free for results.
 *
 * This file and `run-command.ts` and `file-lock.ts` are also used by the launcher before anything is
 * installed, so they import nothing but Node.
 */

/** A step shorter than this leaves no trace, in milliseconds. */
const quietMs = 2_000;
/** How often a log without a terminal gets a sign of life, in milliseconds. */
const plainIntervalMs = 20_000;
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Runs `step`; on a terminal with a spinner and the elapsed seconds, elsewhere with a line now and then. */
export async function withProgress<T>(label: string, step: () => Promise<T>): Promise<T> {
  const out = process.stderr;
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const timer = out.isTTY ? spin(label, seconds) : tellNowAndThen(label, seconds);
  try {
    return await step();
  } finally {
    clearInterval(timer);
    if (out.isTTY) out.write('\r\x1b[2K');
    if (performance.now() - started >= quietMs) out.write(`${label}: ${seconds()} s\n`);
  }
}

function spin(label: string, seconds: () => number): NodeJS.Timeout {
  let frame = 0;
  return setInterval(() => {
    process.stderr.write(`\r\x1b[2K${frames[frame++ % frames.length]} ${label} … ${seconds()} s`);
  }, 120);
}

function tellNowAndThen(label: string, seconds: () => number): NodeJS.Timeout {
  let nextAt = quietMs / 1000;
  return setInterval(() => {
    if (seconds() < nextAt) return;
    process.stderr.write(`${label} … ${seconds()} s\n`);
    nextAt = seconds() + plainIntervalMs / 1000;
  }, 500);
}
