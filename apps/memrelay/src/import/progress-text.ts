import type { ImportProgress } from '@memrelay/import-files/run-import';
import { duration } from '../terminal/durations.ts';

/** The rate is measured over this time, because a rate over the whole run would hardly change late in the run. */
const windowMs = 10_000;

/** Turns the states of an import into one line: a bar, counts, rate and remaining time. */
export function progressText(
  wait: boolean,
  now: () => number = Date.now,
): {
  update(progress: ImportProgress): void;
  render(width: number): string;
} {
  let latest: ImportProgress = { total: 0, accepted: 0, stored: 0, known: 0, failed: 0 };
  const seen: { at: number; count: number }[] = [];
  const finished = (progress: ImportProgress): number =>
    wait ? progress.stored + progress.failed : progress.accepted;
  const perSecond = (): number => {
    const [first, last] = [seen[0], seen.at(-1)];
    if (!first || !last || last.at - first.at < 500) return 0;
    return ((last.count - first.count) * 1000) / (last.at - first.at);
  };
  return {
    update(progress) {
      latest = progress;
      const at = now();
      seen.push({ at, count: finished(progress) });
      while (seen.length > 2 && seen[0]!.at < at - windowMs) seen.shift();
    },
    render(width) {
      const count = finished(latest);
      const rate = perSecond();
      const left = rate > 0 ? remaining((latest.total - count) / rate) : undefined;
      const numbers = `${count}/${latest.total} ${wait ? 'stored' : 'accepted'}`;
      const pace = left === undefined ? '' : ` · ${rate.toFixed(rate < 10 ? 1 : 0)}/s · ${left} left`;
      const trouble = latest.failed > 0 ? ` · ${latest.failed} failed` : '';
      const text = `${numbers}${pace}${trouble}`;
      const room = Math.min(40, width - text.length - 1);
      return room < 8 ? text : `${bar(latest, count, room)} ${text}`;
    },
  };
}

/** In whole seconds, because tenths would flicker. */
function remaining(seconds: number): string {
  return seconds < 60 ? `${Math.ceil(seconds)} s` : duration(seconds * 1000);
}

/** Full blocks are finished, shaded ones accepted and on their way. */
function bar({ total, accepted }: ImportProgress, count: number, room: number): string {
  const cells = (part: number): number => (total === 0 ? 0 : Math.floor((part / total) * room));
  const full = cells(count);
  const shaded = Math.max(0, cells(accepted) - full);
  return `${'█'.repeat(full)}${'▒'.repeat(shaded)}${'░'.repeat(room - full - shaded)}`;
}
