import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { ToolRefusal } from '../tools/tool-refusal.ts';
import { pageHint } from './page-hint.ts';
import type { OpenSignIn, SignInDesk } from './sign-in-desk.ts';
import { signOut } from './sign-out.ts';
import type { ToolSession } from './tool-session.ts';

/** The two tools of this package itself, which never call a relayer (relayer.md "Tools"). */
export interface SessionTools {
  session: ToolSession;
  desk: SignInDesk;
  /** The command that runs this package in a terminal */
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
 * Adds `mem_login`, and `mem_logout` while someone is signed in. Clients are notified when that changes.
 */
export function addSessionTools(server: McpServer, { session, desk, command }: SessionTools): void {
  server.registerTool(
    'mem_login',
    {
      title: 'Sign in to memory',
      description:
        'Signs the user in to memrelay: opens a browser page where they approve with their wallet. Returns its one-time URL, valid for 5 minutes, and a short code that the page also shows. Call it when a memory tool reports that no one is signed in, or when the user asks to sign in again or as another user. Show the URL and the code to the user exactly as returned. Calling it again creates a new URL and invalidates the previous one.',
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
        const opened = await desk.open({ client: clientLabel(server.server.getClientVersion()) });
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
        'Signs the user out on this machine: deletes ~/.mem/credentials.json. Memories are kept, and the key stays registered on chain. Call it only when the user asks for it.',
      inputSchema: noParameters,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    () =>
      answer(async () => {
        desk.close();
        const result = await signOut();
        await session.look();
        return `${result}\nMemory tools require mem_login again.`;
      }),
  );
  const follow = (): void => {
    if (logout.enabled === session.hasFile) {
      // The list of tools is unchanged, but their behaviour differs.
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

/** The host's name for itself as a label of at most 64 bytes; undefined if it reports no name. */
export function clientLabel(
  client: { name: string; title?: string | undefined } | undefined,
): string | undefined {
  const name = (client?.title ?? client?.name ?? '').replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  let label = '';
  for (const character of name) {
    if (Buffer.byteLength(label + character) > 64) break;
    label += character;
  }
  return label.trim() || undefined;
}

async function answer(work: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await work() }] };
  } catch (error) {
    const expected = error instanceof ToolRefusal;
    const text = expected ? error.message : `Failed: ${(error as Error).message}`;
    return { content: [{ type: 'text', text }], isError: true };
  }
}

function loginText(signIn: OpenSignIn, command: string): string {
  const { url, shortCode, expectedWallet, expiresAt, webUrl, relayerUrl, opened, present } = signIn;
  return [
    ...(present
      ? [`Until then, wallet ${present.walletAddress} stays signed in with account ${present.accountId}.`]
      : []),
    opened
      ? 'A browser page was opened for the user to sign in. Show them its URL as well, in case they do not see the page:'
      : 'No browser can be opened from here. Show the user this exact URL to open in their browser:',
    '',
    url,
    '',
    `Code: ${shortCode}`,
    '',
    'Show the user this code as well. The page shows a code and asks whether it matches: they must continue only if it does. A different code means that another program opened the page.',
    `The URL works once, until ${expiresAt.toISOString()} (5 minutes). They sign in at ${new URL(webUrl).origin} for the relayer ${new URL(relayerUrl).origin}.`,
    ...(expectedWallet
      ? [`Only wallet ${expectedWallet}, the wallet of the local system, can sign in there.`]
      : []),
    ...pageHint(webUrl),
    `If their browser runs on a different machine (SSH, container), the page shows a code at the end. They then run this command on this machine: ${command} login --code CODE`,
    'After sign-in the memory tools work immediately, without a restart: repeat the call that needed it.',
  ].join('\n');
}
