/**
 * Hides Node's warnings about experimental features: SQLite, and TypeScript in early releases of Node 24. Keeps all
 * others.
 */
export function hideExperimentalWarnings(): void {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') for (const print of printers) print(warning);
  });
}
