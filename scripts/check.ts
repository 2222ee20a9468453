/** `npm run check`: types, lint and formatting, and the house rules. Changes nothing. */
import { fileURLToPath } from 'node:url';
import { printChecks } from './checks/print-checks.ts';
import { runChecks } from './checks/run-checks.ts';

const results = await runChecks(fileURLToPath(new URL('..', import.meta.url)));
printChecks(results);
const failed = results.filter(({ passed }) => !passed).length;
console.log(`\n${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
