import { spawn } from 'node:child_process';

/** Longer than `memrelay hook` takes when it gives up. */
const timeoutMs = 8_000;

/**
 * Runs `memrelay hook EVENT` and returns its answer. Never rejects: without memory, the agent works on.
 * @param {string} event
 * @param {object} input
 * @returns {Promise<{ hookSpecificOutput?: { additionalContext?: string }, systemMessage?: string }>}
 */
function callHook(event, input) {
  return new Promise((resolve) => {
    const child = spawn('memrelay', ['hook', event, '--host', 'openclaw'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      // On Windows npm installs a .cmd file, which only a shell runs; the arguments are constants
      shell: process.platform === 'win32',
      windowsHide: true,
      timeout: timeoutMs,
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
    child.stdin.on('error', () => undefined);
    child.on('error', () => resolve({}));
    child.on('close', () => {
      try {
        resolve(JSON.parse(printed || '{}'));
      } catch {
        resolve({});
      }
    });
    child.stdin.end(JSON.stringify(input));
  });
}

/** @param {unknown} content @returns {string} */
function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part) => (part?.type === 'text' ? [String(part.text)] : [])).join('\n');
}

/**
 * The last request and the answers to it, from the messages of a session.
 * @param {readonly any[]} messages
 */
function lastTurn(messages) {
  const start = messages.findLastIndex((message) => message?.role === 'user');
  if (start === -1) return [];
  return messages
    .slice(start)
    .filter((message) => message?.role === 'user' || message?.role === 'assistant')
    .map(({ role, content }) => ({ role, text: textOf(content) }))
    .filter(({ text }) => text !== '');
}

/** @param {{ sessionId?: string, sessionKey?: string, workspaceDir?: string } | undefined} context */
const sessionOf = (context) => ({
  session_id: context?.sessionId ?? context?.sessionKey ?? 'openclaw',
  ...(context?.workspaceDir ? { cwd: context.workspaceDir } : {}),
});

/** Turns that no person began: scheduled jobs, heartbeats, other agents. @param {{ trigger?: string } | undefined} context */
const isOfUser = (context) => context?.trigger === undefined || context.trigger === 'user';

const plugin = {
  id: 'memrelay',
  name: 'memrelay',
  description: 'Encrypted memory: recalls before each prompt, stores what was said after each turn',
  /** @param {{ on: Function, logger?: { info?: (text: string) => void } }} api */
  register(api) {
    const notify = (/** @type {{ systemMessage?: string }} */ { systemMessage }) =>
      systemMessage && api.logger?.info?.(systemMessage);
    api.on(
      'before_prompt_build',
      async (/** @type {any} */ event, /** @type {any} */ context) => {
        if (!isOfUser(context)) return undefined;
        const prompt = event.currentUserMessage ?? event.prompt;
        const answer = await callHook('prompt', { ...sessionOf(context), prompt });
        notify(answer);
        const recalled = answer.hookSpecificOutput?.additionalContext;
        return recalled ? { prependContext: recalled } : undefined;
      },
      { timeoutMs: timeoutMs + 1_000 },
    );
    api.on('agent_end', async (/** @type {any} */ event, /** @type {any} */ context) => {
      if (!event.success || !isOfUser(context)) return;
      const messages = lastTurn(event.messages ?? []);
      if (messages.length > 0) notify(await callHook('capture', { ...sessionOf(context), messages }));
    });
  },
};

// biome-ignore lint/style/noDefaultExport: OpenClaw loads the default export
export { plugin as default };
