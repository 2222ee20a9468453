import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { commandEntry } from '../running-command.ts';

/** The plugin as OpenClaw calls it, with the real command behind it and no credentials. */

type Handler = (event: object, context?: object) => Promise<unknown>;

const folder = mkdtempSync(join(tmpdir(), 'memrelay-openclaw-'));
const command = join(folder, 'memrelay');
writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${commandEntry}" "$@"\n`);
chmodSync(command, 0o755);
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

async function registered(path: string): Promise<{ handlers: Record<string, Handler>; notices: string[] }> {
  for (const [name, value] of Object.entries({
    HOME: folder,
    MEM_DATA_DIR: join(folder, 'data'),
    PATH: path,
  }))
    vi.stubEnv(name, value);
  const file = join(import.meta.dirname, '../../../../integrations/openclaw/plugin.js');
  const { default: plugin } = await import(pathToFileURL(file).href);
  const handlers: Record<string, Handler> = {};
  const notices: string[] = [];
  plugin.register({
    on: (name: string, handler: Handler) => {
      handlers[name] = handler;
    },
    logger: { info: (text: string) => notices.push(text) },
  });
  return { handlers, notices };
}

const turn = {
  success: true,
  messages: [
    { role: 'user', content: 'My old password is hunter1.' },
    { role: 'assistant', content: 'Changed.' },
    { role: 'user', content: [{ type: 'text', text: 'My new password is hunter2.' }] },
    { role: 'assistant', content: [{ type: 'toolCall' }, { type: 'text', text: 'Fine.' }] },
  ],
};

test('captures the last turn of a user, and works on without credentials', async () => {
  const { handlers, notices } = await registered(`${folder}${delimiter}${process.env.PATH}`);
  await handlers.agent_end!(turn, { sessionId: 'a', trigger: 'cron' });
  expect(notices).toEqual([]);
  await handlers.agent_end!(turn, { sessionId: 'a', trigger: 'user', workspaceDir: folder });
  expect(notices).toEqual(['memrelay masked 1 secret (password) before storing anything from this turn.']);
  const prompt = { prompt: 'When do we deploy the shop?', messages: [] };
  expect(
    await handlers.before_prompt_build!(prompt, { sessionId: 'a', workspaceDir: folder }),
  ).toBeUndefined();
  expect(notices[1]).toContain('no credentials on this machine');
});

test('adds nothing where the command is not installed', async () => {
  const { handlers, notices } = await registered(join(folder, 'none'));
  expect(await handlers.before_prompt_build!({ prompt: 'When do we deploy?' }, {})).toBeUndefined();
  await handlers.agent_end!(turn);
  expect(notices).toEqual([]);
});
