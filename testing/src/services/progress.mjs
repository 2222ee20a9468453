/**
 * Shows that a long step is still running. Lines go to stderr, because stdout is for results.
 *
 * The launcher uses this file, `run-command.mjs` and `file-lock.mjs` before anything is installed and with every supported
 * Node, so they are plain JavaScript and import only from Node.
 */

/** Steps shorter than this print nothing, in milliseconds. */
const quietMs = 2_000;
/** Interval of lines if stderr is not a terminal, in milliseconds. */
const plainIntervalMs = 20_000;
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/**
 * Runs `step`: on a terminal with a spinner and the elapsed seconds, elsewhere with a line from time to time.
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} step
 * @returns {Promise<T>}
 */
export async function withProgress(label, step) {
  const out = process.stderr;
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const timer = out.isTTY ? spin(label, seconds) : reportPeriodically(label, seconds);
  try {
    return await step();
  } finally {
    clearInterval(timer);
    if (out.isTTY) out.write('\r\x1b[2K');
    if (performance.now() - started >= quietMs) out.write(`${label}: ${seconds()} s\n`);
  }
}

/** @param {string} label @param {() => number} seconds */
function spin(label, seconds) {
  let frame = 0;
  return setInterval(() => {
    process.stderr.write(`\r\x1b[2K${frames[frame++ % frames.length]} ${label} … ${seconds()} s`);
  }, 120);
}

/** @param {string} label @param {() => number} seconds */
function reportPeriodically(label, seconds) {
  let nextAt = quietMs / 1000;
  return setInterval(() => {
    if (seconds() < nextAt) return;
    process.stderr.write(`${label} … ${seconds()} s\n`);
    nextAt = seconds() + plainIntervalMs / 1000;
  }, 500);
}
