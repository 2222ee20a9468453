import { findBinary, isExecutable } from './find-binary.ts';

const macApps = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * Path of a Chromium or Chrome for page tests, or undefined. `MEMRELAY_TEST_CHROMIUM` takes precedence.
 */
export function findChromium(): string | undefined {
  return (
    process.env.MEMRELAY_TEST_CHROMIUM ??
    findBinary(['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']) ??
    macApps.find(isExecutable)
  );
}
