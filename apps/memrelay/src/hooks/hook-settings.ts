import { projectOf } from '@memrelay/capture/project-namespace-node';
import { namespaceField } from '@memrelay/protocol/fields';

export interface HookSettings {
  recalls: boolean;
  captures: boolean;
  masksSecrets: boolean;
  /** Most tokens of memories at the start of a session; before a prompt half of that */
  tokens: number;
  namespace: string;
  /** Another relayer than the one of the credentials */
  relayerUrl: string | undefined;
}

const defaultTokens = 800;
const mostTokens = 8_000;

/** Hooks must never fail because of a setting: a value that means nothing counts as the safe one of its kind. */
export function hookSettings(env: NodeJS.ProcessEnv, cwd: string): HookSettings {
  const mode = env.MEM_HOOKS?.trim().toLowerCase() || 'on';
  const tokens = Number(env.MEM_HOOK_TOKENS?.trim() || defaultTokens);
  const named = env.MEM_NAMESPACE?.trim();
  return {
    recalls: ['on', 'recall'].includes(mode),
    captures: ['on', 'capture'].includes(mode),
    masksSecrets: env.MEM_HOOK_MASK?.trim().toLowerCase() !== 'off',
    tokens: tokens >= 0 ? Math.min(tokens, mostTokens) : defaultTokens,
    namespace:
      named && namespaceField.safeParse(named).success
        ? named
        : projectOf(env.CLAUDE_PROJECT_DIR || env.GEMINI_PROJECT_DIR || cwd).namespace,
    relayerUrl: env.MEM_SERVER_URL?.trim() || undefined,
  };
}
