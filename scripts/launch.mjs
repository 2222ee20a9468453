#!/usr/bin/env node
/**
 * Entry of `npm start`, `npm test`, `npm run check` and the others (`launch/launch.mjs` lists them). It works on a fresh clone
 * with nothing installed, and with every Node that the packages support, so it and what it imports are plain JavaScript.
 */
import { endWithShell } from './launch/end-with-shell.mjs';
import { launch } from './launch/launch.mjs';

endWithShell();
const code = await launch(process.argv.slice(2));
if (code !== undefined) process.exitCode = code;
