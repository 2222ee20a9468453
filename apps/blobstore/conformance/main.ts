import { runConformance } from './command.ts';

process.exitCode = await runConformance(process.argv.slice(2), process.env, (text) => {
  process.stdout.write(`${text}\n`);
});
