import { type Browser, chromium } from 'playwright-core';
import { findChromium } from './services/chromium.ts';

/** This machine's browser, headless; `args` are additional command line arguments. */
export function launchChromium(...args: readonly string[]): Promise<Browser> {
  const executablePath = findChromium();
  return chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox', ...args] });
}
