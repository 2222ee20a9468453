import { MemRelayError } from '@memrelay/sdk/errors';
import { ToolRefusal } from 'memrelay-mcp/tools/tool-refusal';

/** One sentence for the user about why there are no memories in this session. Contains no text of the conversation. */
export function hintOf(error: unknown): string {
  if (error instanceof ToolRefusal && error.code === 'untrusted_relayer')
    return 'memrelay sent nothing: MEM_SERVER_URL names another relayer than the one you signed in at. Approve it with `memrelay trust URL`, or remove the variable.';
  if (error instanceof MemRelayError && error.code === 'invalid_credentials')
    return 'memrelay has no credentials on this machine, so this session has no memory. Start a local system with `memrelay up`, or sign in with `memrelay-mcp login`.';
  if (error instanceof MemRelayError && error.status !== undefined && error.status < 500)
    return `memrelay refused the request (${error.code}), so this session has no memory. \`memrelay doctor\` says more.`;
  return 'memrelay cannot be reached, so this session has no memory for now. `memrelay status` says more.';
}
