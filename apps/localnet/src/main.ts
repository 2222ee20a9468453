import { runPart } from '@memrelay/process/run-part';
import { startPart } from './start-localnet.ts';

await runPart(startPart);
