import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createToolServer } from '../tools/create-tool-server.ts';
import { lineTransport } from './line-transport.ts';
import { addSessionTools } from './session-tools.ts';
import type { Settings } from './settings.ts';
import { signInDesk } from './sign-in-desk.ts';
import type { Log } from './stderr-log.ts';
import { ToolSession } from './tool-session.ts';

/** Serves the tools over this process's stdin and stdout until the host closes them. */
export async function serve(settings: Settings, log: Log, command: string): Promise<void> {
  const session = await ToolSession.start(settings, log);
  const desk = signInDesk(settings, log);
  // Node 20 has no Promise.withResolvers.
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const transport = lineTransport(process.stdin, process.stdout, end);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, end);
  const handle = serveStdio(
    () => {
      const server = createToolServer({
        client: () => session.client(),
        namespace: settings.namespace,
        extraTools: settings.extraTools,
        relayerUrl: () => session.relayerUrl,
        signIn: 'If the key was revoked or has expired, call mem_login to sign in with a new one.',
        onCall: ({ error, ...call }) =>
          error === undefined
            ? log.debug('tool call', call)
            : log.info('tool call failed unexpectedly', { ...call, error: (error as Error).stack }),
      });
      addSessionTools(server, { session, desk, command });
      return server;
    },
    { transport, onerror: (error) => log.info('connection', { error: error.message }) },
  );
  log.debug('serving', { relayerUrl: session.relayerUrl, namespace: settings.namespace });
  await ended;
  desk.close();
  session.close();
  await handle.close();
}
