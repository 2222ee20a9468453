/**
 * npm and npx start a command through a shell. A signal to npm ends that shell without reaching this process, so this process
 * ends itself, as by SIGTERM, when the shell has ended. The published packages contain a copy of this file.
 */
export function endWithShell() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}
