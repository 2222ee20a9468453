/**
 * Preloaded into a part, `node --import file:///…/shifted-clock.ts?file=…`: shifts its clock by the milliseconds in
 * that file, as soon as the file contains them. As with a jump of a machine's clock, timers are not affected.
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
    construct: (target, args, newTarget) =>
      Reflect.construct(
        target,
        args.length === 0 ? [now()] : args,
        newTarget === Shifted ? target : newTarget,
      ),
    apply: () => new SystemDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  globalThis.Date = Shifted;
  // Node does not use `Date` for this header
  const { writeHead } = ServerResponse.prototype;
  ServerResponse.prototype.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    this.setHeader('date', new Shifted().toUTCString());
    return Reflect.apply(writeHead, this, args);
  };
}
