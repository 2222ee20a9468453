import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { type PartOptions, startPart } from '@memrelay/process/start-part';
import { type RestartingProcess, startRestarting } from './restarting-process.ts';
import { killNow } from './restarting-service.ts';

/** A part of the system under test; all its runs write to one log file. */
export interface RestartingPart extends RestartingProcess {
  readonly url: string;
}

export async function startRestartingPart(
  settings: Pick<PartOptions, 'name' | 'entry' | 'environment'>,
  logDirectory: string,
  note: (line: string) => void,
): Promise<RestartingPart> {
  const log: WriteStream = createWriteStream(join(logDirectory, `${settings.name}.log`), { flags: 'a' });
  let url = '';
  const restarting = await startRestarting(
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
    ...restarting,
    url,
    async stop() {
      await restarting.stop();
      await new Promise((resolve) => log.end(resolve));
    },
  };
}
