import type { OnError } from '@memrelay/adapter/failure-report';
import type { SecretCount } from '@memrelay/capture/prepare-text';
import type { MemRelay } from '@memrelay/sdk';

/** What the adapter calls of a client. */
export type MemoryClient = Pick<MemRelay, 'recall' | 'remember' | 'analyze'>;

export interface MemoryOptions {
  /** The client; it stays open as long as the model is used */
  memory: MemoryClient;
  /** Where the memories are; default: the client's namespace. Give each of your users a separate one. */
  namespace?: string | undefined;
  /** Maximum size of the recalled memories in a prompt, in tokens; default 1,000. 0 turns recalling off. */
  tokenBudget?: number | undefined;
  /** Counts the tokens of a text; default: a third of its UTF-8 bytes, which is rather too many */
  countTokens?: ((text: string) => number) | undefined;
  /** Maximum number of recalled memories, 1–100; default 20 */
  limit?: number | undefined;
  /** Omit memories with a lower score */
  minScore?: number | undefined;
  /** The model is called without memories if a recall takes longer; default 3,000 ms */
  recallTimeoutMs?: number | undefined;
  /**
   * What is stored after an answer, in the background: `user` (default), each message of the user; `conversation`, also the
   * answers; `facts`, what the relayer's chat model extracts from both; `nothing`.
   */
  remember?: 'user' | 'conversation' | 'facts' | 'nothing' | undefined;
  /** The conversation that stored memories belong to, 1–128 characters. Memories of a session strengthen each other. */
  session?: string | undefined;
  /**
   * Replaces keys, tokens and passwords by `[masked: kind]` in what is stored and searched for; default true. `<private>…</private>`
   * sections are removed in any case.
   */
  maskSecrets?: boolean | undefined;
  /** Called with the kinds and numbers of the secrets that were masked in a text to be stored. */
  onMasked?: ((secrets: readonly SecretCount[]) => void) | undefined;
  /** Changes each text after that, before it is stored. If it throws, the text is not stored. */
  mask?: ((text: string) => string | Promise<string>) | undefined;
  /** Called when a recall or a write failed; the answer is not affected */
  onError?: OnError | undefined;
}
