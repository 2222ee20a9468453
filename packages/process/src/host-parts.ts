import { writeSync } from 'node:fs';
import { type PartStarter, type StartedPart, startFailure } from './part.ts';
import { leaveTerminalToSupervisor, stopDeadlineMs } from './serve-part.ts';
import type { SharedReply, SharedRequest, StartRequest } from './shared-messages.ts';

/**
 * The main program of a process that several parts share (the other end of `start-shared.ts`). Starts and closes parts as the
 * supervisor asks, and loads a part's module only then. When the supervisor disconnects or ends, and on SIGTERM, closes the
 * parts, the last started first, and exits with 0, or with 1 if that fails or takes longer than `stopDeadlineMs`.
 *
 * Nothing catches an error outside of a request: it ends the process, and the supervisor starts all parts again. What such an
 * error leaves behind could harm the other parts.
 */
export function hostParts(starters: Readonly<Record<string, () => Promise<PartStarter>>>): void {
  /** In the order of their start */
  const parts = new Map<string, Promise<StartedPart>>();
  let stopping = false;
  let closingFailed = false;

  async function start({ start: name, environment, logFd }: StartRequest) {
    const starting = (async () => (await starters[name]!())({ environment, logFd }))();
    parts.set(name, starting);
    try {
      reply({ part: name, event: 'listening', url: (await starting).url });
    } catch (error) {
      parts.delete(name);
      const reason = startFailure(error);
      writeSync(logFd, `${reason}\n`);
      reply({ part: name, event: 'failed', reason });
    }
  }

  async function close(name: string): Promise<void> {
    const part = await parts.get(name)?.catch(() => undefined);
    parts.delete(name);
    try {
      await part?.close();
    } catch (error) {
      closingFailed = true;
      part?.log.error({ err: error }, 'closing failed');
    }
  }

  async function stop(): Promise<void> {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), stopDeadlineMs);
    for (const name of [...parts.keys()].reverse()) await close(name);
    process.exit(closingFailed ? 1 : 0);
  }

  process.on('message', (request: SharedRequest) => {
    if (stopping) return;
    if ('start' in request) void start(request);
    else void close(request.close).then(() => reply({ part: request.close, event: 'closed' }));
  });
  process.on('disconnect', stop).on('SIGTERM', stop);
  leaveTerminalToSupervisor();
}

/** A supervisor that has disconnected needs no reply. */
function reply(message: SharedReply): void {
  if (process.connected) process.send!(message, () => undefined);
}
