/** Node announces on each start that its SQLite is new, and early releases of Node 24 that TypeScript is. Other warnings stay. */
export function hideExperimentalWarnings(): void {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') for (const print of printers) print(warning);
  });
}
