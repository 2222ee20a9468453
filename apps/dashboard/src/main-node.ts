import { runPart } from '@memrelay/process/run-part';
import { startPart } from './node-start.ts';

await runPart(startPart);
