/** Prefix of the tool names of the original system (MemWal), whose hosts still call `memwal_recall`. */
const originalPrefix = 'memwal_';

/** Our name of a tool: `mem_recall` for `memwal_recall`; other names are unchanged. */
export function toolNameOf(name: string): string {
  return name.startsWith(originalPrefix) ? `mem_${name.slice(originalPrefix.length)}` : name;
}

/**
 * A JSON-RPC message, or a batch of them, in which `tools/call` uses our tool names. The original names are accepted but not
 * listed, so that permissions and prompts that a host has saved keep working.
 */
export function withOurToolNames<Message>(message: Message): Message;
export function withOurToolNames(message: unknown): unknown {
  if (Array.isArray(message)) return message.map((one) => withOurToolNames(one));
  const call = message as { method?: unknown; params?: { name?: unknown } } | null;
  const name = call?.params?.name;
  if (call?.method !== 'tools/call' || typeof name !== 'string') return message;
  return { ...call, params: { ...call.params, name: toolNameOf(name) } };
}
