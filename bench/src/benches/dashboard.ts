import { type DashboardPage, openDashboard, openMemories } from '@memrelay/dev-env/dashboard-page';
import { launchChromium } from '@memrelay/dev-env/launch-chromium';
import { startPrivateSystem } from '@memrelay/dev-env/private-system';
import type { Bench, Measurement } from '../base/report.ts';
import { median, percentile, rounded, type Timing } from '../base/statistics.ts';
import { listAnswers } from '../system/list-answers.ts';

type Page = DashboardPage['page'];

const memories = 100_000;
const visits = 5;
const scrollMs = 8_000;
/** CSS pixels */
const rowHeight = 84;
const goals = { scriptBytes: 250_000, interactiveMs: 2_000, framesPerSecond: 50 };

export const dashboardBench: Bench = {
  name: 'dashboard',
  about:
    'the dashboard in Chromium: its scripts, until it can be used, and scrolling through 100,000 memories',
  async run(progress) {
    progress('starting a system and a browser');
    const [system, browser] = await Promise.all([startPrivateSystem(), launchChromium()]);
    try {
      const size = { width: 1280, height: 800 };
      const opened = await openDashboard(browser, system, { baseURL: system.urls.dashboard, viewport: size });
      await openMemories(opened);
      const { page } = opened;
      await answerLists(page, 100);
      progress('loading the page');
      const { scriptBytes, measurement } = await visitAgain(page);
      progress('scrolling while pages load');
      const loading = await scroll(page, `scrolling for ${scrollMs / 1000} s while more loads`, 6_000);
      await answerLists(page, 5_000);
      await page.reload();
      progress('loading all rows');
      await loadAll(page);
      progress('scrolling through all rows');
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      const all = await scroll(page, 'scrolling through all loaded rows', (height / scrollMs) * 1000);
      progress('scrolling faster than the eye can read');
      const fast = await scroll(page, 'scrolling through loaded rows, 240 a second', 240 * rowHeight);
      return {
        measurements: [measurement, loading, fast, all],
        notes: [
          `The list is answered in the browser: ${memories} invented memories, 100 to an answer, and 5,000 to an answer for the last two lines. Everything else is a running system on this machine, in Chromium without a graphics card.`,
          'The first line is from the start of the navigation until the first text of a memory is shown and the main thread is idle. The others are the time of each frame; "rate" is frames per second.',
        ],
        failures: failuresOf(scriptBytes, measurement, [loading, fast, all]),
      };
    } finally {
      await browser.close();
      await system.dispose();
    }
  },
};

function failuresOf(
  scriptBytes: number,
  measurement: Measurement,
  scrolls: readonly Measurement[],
): string[] {
  const slow = scrolls.filter(({ timing }) => timing.perSecond < goals.framesPerSecond);
  return [
    ...(scriptBytes > goals.scriptBytes
      ? [`scripts of ${scriptBytes} bytes, above ${goals.scriptBytes}`]
      : []),
    ...(measurement.timing.p50 > goals.interactiveMs
      ? [`usable after ${measurement.timing.p50} ms, above ${goals.interactiveMs}`]
      : []),
    ...slow.map(
      ({ what, timing }) => `${what}: ${timing.perSecond} frames per second, below ${goals.framesPerSecond}`,
    ),
  ];
}

/** Answers the list and single memories in the browser, with the headers that a page of another origin needs. */
async function answerLists(page: Page, perPage: number): Promise<void> {
  const answers = listAnswers(memories, perPage);
  await page.unrouteAll();
  await page.route(/\/api\/memories(\/|$)/, async (route) => {
    const request = route.request();
    const headers = {
      'access-control-allow-origin': new URL(page.url()).origin,
      'access-control-allow-headers': '*, authorization',
      'content-type': 'application/json',
    };
    if (request.method() === 'OPTIONS') return route.fallback();
    const id = /\/api\/memories\/([^/?]+)$/.exec(request.url())?.[1];
    const cursor = id === undefined ? (request.postDataJSON() as { cursor?: string }).cursor : undefined;
    return route.fulfill({ headers, body: id === undefined ? answers.page(cursor) : answers.memory(id) });
  });
}

/** Opens the list several times. */
async function visitAgain(page: Page): Promise<{ scriptBytes: number; measurement: Measurement }> {
  const times: number[] = [];
  let scriptBytes = 0;
  for (let visit = 0; visit < visits; visit++) {
    await page.goto('/memories');
    await page.locator('.row-text', { hasText: 'Memory' }).first().waitFor();
    times.push(await page.evaluate<number>(untilIdle));
    scriptBytes = await page.evaluate<number>(loadedScripts);
  }
  const what = 'until the list can be used';
  const more = { 'scripts, bytes compressed': scriptBytes };
  return { scriptBytes, measurement: { what, timing: timingOf(times), more } };
}

const untilIdle = `new Promise((resolve) => requestIdleCallback(() => resolve(performance.now())))`;
const loadedScripts = `performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('.js')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

/** Goes to the end of the list until no more is loaded. */
async function loadAll(page: Page): Promise<void> {
  await page.locator('.row-text', { hasText: 'Memory' }).first().waitFor();
  const last = page.locator(`[aria-posinset="${memories}"]`);
  while ((await last.count()) === 0) {
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    await page.waitForTimeout(50);
  }
  await page.evaluate('window.scrollTo(0, 0)');
}

/** @param speed pixels per second */
async function scroll(page: Page, what: string, speed: number): Promise<Measurement> {
  const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
    window.scrollTo(0, 0);
    const frames = [];
    const begun = performance.now();
    let last = begun;
    const frame = (now) => {
      if (now > last) frames.push(now - last);
      last = Math.max(last, now);
      if (now - begun > ${scrollMs}) return resolve(frames);
      window.scrollTo(0, ((now - begun) / 1000) * ${speed});
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })`);
  const rows = await page.evaluate<string>(`document.querySelector('.rows > :last-child').ariaPosInSet`);
  return { what, timing: timingOf(frames), more: { 'row at the end': Number(rows) } };
}

function timingOf(times: readonly number[]): Timing {
  const sum = times.reduce((total, each) => total + each, 0);
  return {
    count: times.length,
    p50: rounded(median(times)),
    p95: rounded(percentile(times, 0.95)),
    p99: rounded(percentile(times, 0.99)),
    perSecond: rounded((times.length / sum) * 1000),
  };
}
