import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { ToolRefusal } from '../tools/tool-refusal.ts';
import { pageHint } from './page-hint.ts';
import type { OpenSignIn, SignInDesk } from './sign-in-desk.ts';
import { signOut } from './sign-out.ts';
import type { ToolSession } from './tool-session.ts';

/** The two tools of this package itself, which never reach a relayer (relayer.md "Tools"). */
export interface SessionTools {
  session: ToolSession;
  desk: SignInDesk;
  /** How a person calls this package in a terminal */
  command: string;
}

const json = { type: 'object', properties: {}, additionalProperties: false };
const noParameters: StandardSchemaWithJSON = {
  '~standard': {
    version: 1,
    vendor: 'memrelay',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => json, output: () => json },
  },
};

/**
 * Adds `mem_login`, and `mem_logout` as long as there is something to sign out of. The client is told when that changes.
 */
export function addSessionTools(server: McpServer, { session, desk, command }: SessionTools): void {
  server.registerTool(
    'mem_login',
    {
      title: 'Sign in to memory',
      description:
        'Signs the user in to memrelay: opens a browser page where they approve with their wallet, and returns its one-time URL, valid 5 minutes, and a short code that the page shows too. Call it when a memory tool says that nobody is signed in, or when the user asks to sign in again or as another user. Show URL and code to the user exactly as returned. Calling it again makes a new URL and ends the previous one.',
      inputSchema: noParameters,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    () =>
      answer(async () => {
        const opened = await desk.open();
        opened.done.then(
          () => session.look(),
          () => {},
        );
        return loginText(opened, command);
      }),
  );
  const logout = server.registerTool(
    'mem_logout',
    {
      title: 'Sign out of memory',
      description:
        "Signs the user out on this machine: deletes ~/.mem/credentials.json. Memories stay, and so does the key's registration on chain. Only when the user asks for it.",
      inputSchema: noParameters,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    () =>
      answer(async () => {
        desk.close();
        const told = await signOut();
        await session.look();
        return `${told}\nMemory tools need mem_login again.`;
      }),
  );
  const follow = (): void => {
    if (logout.enabled === session.hasFile) {
      // Which tools there are stays the same; what they do does not.
      if (server.isConnected()) server.sendToolListChanged();
    } else if (session.hasFile) logout.enable();
    else logout.disable();
  };
  if (!session.hasFile) logout.disable();
  const stop = session.onChange(follow);
  const closed = server.server.onclose;
  server.server.onclose = () => {
    stop();
    closed?.();
  };
}

async function answer(work: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await work() }] };
  } catch (error) {
    const expected = error instanceof ToolRefusal;
    const text = expected ? error.message : `It did not work: ${(error as Error).message}`;
    return { content: [{ type: 'text', text }], isError: true };
  }
}

function loginText(signIn: OpenSignIn, command: string): string {
  const { url, shortCode, expectedWallet, expiresAt, webUrl, relayerUrl, opened, present } = signIn;
  return [
    ...(present
      ? [`Until then wallet ${present.walletAddress} stays signed in, with account ${present.accountId}.`]
      : []),
    opened
      ? 'A browser page was opened for the user to sign in. Show them its URL too, in case they do not see the page:'
      : 'No browser can be opened from here. Show the user this URL, exactly as it is, to open in theirs:',
    '',
    url,
    '',
    `Code: ${shortCode}`,
    '',
    'Show the user this code too. The page shows a code and asks whether it is the same one: they continue only if it is. Another code means that the page was opened by another program.',
    `It works once, until ${expiresAt.toISOString()} (5 minutes). They sign in at ${new URL(webUrl).origin} for the relayer ${new URL(relayerUrl).origin}.`,
    ...(expectedWallet
      ? [`Only wallet ${expectedWallet}, the wallet of the local system, can sign in there.`]
      : []),
    ...pageHint(webUrl),
    `If their browser is on another machine than this one (SSH, container), the page shows a code instead of ending by itself; they run on this machine: ${command} login --code CODE`,
    'Once they have signed in the memory tools work at once, without a restart: then make the call again that needed it.',
  ].join('\n');
}
