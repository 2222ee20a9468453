import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { type PartOptions, startPart } from '@memrelay/process/start-part';
import { type Kept, keep } from './kept.ts';
import { killNow } from './kept-service.ts';

/** A part of the system under test; all its runs write to one log file. */
export interface KeptPart extends Kept {
  readonly url: string;
}

export async function keepPart(
  settings: Pick<PartOptions, 'name' | 'entry' | 'environment'>,
  logDirectory: string,
  note: (line: string) => void,
): Promise<KeptPart> {
  const log: WriteStream = createWriteStream(join(logDirectory, `${settings.name}.log`), { flags: 'a' });
  let url = '';
  const kept = await keep(
    settings.name,
    async () => {
      const part = await startPart({
        ...settings,
        onLine: (line) => void log.write(`${line}\n`),
        onStderr: (text) => void log.write(text),
      });
      url = part.url;
      return {
        pid: () => part.pid,
        ended: part.ended,
        kill: () => void killNow(part.pid),
        stop: part.stop,
      };
    },
    note,
  );
  return {
    ...kept,
    url,
    async stop() {
      await kept.stop();
      await new Promise((resolve) => log.end(resolve));
    },
  };
}
