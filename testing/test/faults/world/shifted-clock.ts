/**
 * Loaded before a part, `node --import file:///…/shifted-clock.ts?file=…`: its clock runs ahead or behind by the
 * milliseconds that stand in that file, from the moment they do. Timers go on, as when the clock of a machine jumps.
 */
import { readFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';

const file = new URL(import.meta.url).searchParams.get('file');
const lookMs = 50;

if (file) {
  const SystemDate = Date;
  let shiftMs = 0;
  const look = (): void => {
    try {
      shiftMs = Number(readFileSync(file, 'utf8'));
    } catch {
      shiftMs = 0;
    }
  };
  look();
  setInterval(look, lookMs).unref();
  const now = (): number => SystemDate.now() + shiftMs;
  const Shifted: DateConstructor = new Proxy(SystemDate, {
    construct: (target, given, made) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, made === Shifted ? target : made),
    apply: () => new SystemDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  globalThis.Date = Shifted;
  // Node writes this header by a clock of its own
  const { writeHead } = ServerResponse.prototype;
  ServerResponse.prototype.writeHead = function (this: ServerResponse, ...given: unknown[]) {
    this.setHeader('date', new Shifted().toUTCString());
    return Reflect.apply(writeHead, this, given);
  };
}
