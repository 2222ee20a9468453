import { registerAccount } from './account.ts';
import { registerAnalyze } from './analyze.ts';
import { registerAsk } from './ask.ts';
import { registerAudit } from './audit.ts';
import { registerBlobs } from './blobs.ts';
import { registerBlobstore } from './blobstore.ts';
import type { CommandLine } from './command-line.ts';
import { registerCompletion } from './completion.ts';
import { registerCost } from './cost.ts';
import { registerDelegate } from './delegate.ts';
import { registerDemo } from './demo.ts';
import { registerDoctor } from './doctor.ts';
import { registerExport } from './export.ts';
import { registerForget } from './forget.ts';
import { registerHook } from './hook.ts';
import { registerImport } from './import.ts';
import { registerKey } from './key.ts';
import { registerList } from './list.ts';
import { registerMcp } from './mcp.ts';
import { registerModel } from './model.ts';
import { registerNamespaces } from './namespaces.ts';
import { registerPair } from './pair.ts';
import { registerProfile } from './profile.ts';
import { registerRecall } from './recall.ts';
import { registerReindex } from './reindex.ts';
import { registerRelayer } from './relayer.ts';
import { registerRemember } from './remember.ts';
import { registerReplace } from './replace.ts';
import { registerRestore } from './restore.ts';
import { registerRetry } from './retry.ts';
import { registerShow } from './show.ts';
import { registerStats } from './stats.ts';
import { registerStatus } from './status.ts';
import { registerTrust } from './trust.ts';
import { registerUp } from './up.ts';
import { registerWebhook } from './webhook.ts';

/** A group of commands under one heading of `--help`. */
export interface CommandGroup {
  heading: string;
  /** In the order in which they are listed */
  register: readonly ((line: CommandLine) => void)[];
}

/**
 * All commands. The code of a command is imported only when the command runs, so that `recall` does not load the chain
 * client of `up`.
 */
export const commandGroups: readonly CommandGroup[] = [
  { heading: 'Local system:', register: [registerUp, registerPair, registerModel, registerDemo] },
  {
    heading: 'Memories:',
    register: [
      registerRemember,
      registerRecall,
      registerAnalyze,
      registerAsk,
      registerProfile,
      registerList,
      registerShow,
      registerReplace,
      registerNamespaces,
      registerStats,
      registerForget,
      registerRetry,
    ],
  },
  {
    heading: 'Import and export:',
    register: [registerImport, registerExport, registerRestore, registerReindex],
  },
  { heading: 'Agents:', register: [registerMcp, registerHook, registerTrust] },
  {
    heading: 'Account and keys:',
    register: [registerAccount, registerDelegate, registerKey, registerBlobs, registerAudit, registerWebhook],
  },
  { heading: 'Checks and tools:', register: [registerStatus, registerDoctor, registerCompletion] },
  { heading: 'For operators:', register: [registerRelayer, registerBlobstore, registerCost] },
];
