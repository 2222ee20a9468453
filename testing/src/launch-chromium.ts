import { type Browser, chromium } from 'playwright-core';
import { findChromium } from './services/chromium.ts';

/** The browser of this machine, without a window; `args` are further ones of its command line. */
export function launchChromium(...args: readonly string[]): Promise<Browser> {
  const executablePath = findChromium();
  return chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox', ...args] });
}
