/** Exits with 0 if the relayer of this container is ready, and prints what is not. `/live` would hide a lost database. */
const port = process.env.PORT || '8000';
try {
  const response = await fetch(`http://127.0.0.1:${port}/ready`, { signal: AbortSignal.timeout(5_000) });
  const { ready, checks = {} } = await response.json();
  const failed = Object.entries(checks).filter(([, { ok }]) => !ok);
  for (const [name, { detail = 'not ready' }] of failed) process.stdout.write(`${name}: ${detail}\n`);
  process.exitCode = ready ? 0 : 1;
} catch (error) {
  process.stdout.write(`no answer at port ${port}: ${error.cause?.code ?? error.message}\n`);
  process.exitCode = 1;
}
