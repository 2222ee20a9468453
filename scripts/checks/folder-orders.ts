import { topFiles } from './folder-graph.ts';

/**
 * The order of the folders directly in `src`, lowest first: a file imports only its own folder and folders before it.
 * Folders in an inner list share a level and must not import each other. `topFiles` are the files directly in `src`;
 * they are the highest level unless the list names them. A workspace without folders in `src` needs no line here.
 */
export const folderOrders: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
  'apps/dashboard': ['ui', 'wallet', ['scope', topFiles], 'sign-in', 'oauth', 'pages'],
  'apps/relayer': [
    'base',
    ['accounts', 'sidecar', 'language'],
    'blobs',
    'index',
    'jobs',
    'keys',
    'memories',
    'upkeep',
    'api',
  ],
  'testing': ['services'],
  'packages/mcp': [[topFiles, 'sign-in', 'tools'], 'stdio'],
  contracts: [topFiles, 'scenarios'],
};

/**
 * Workspaces that still break the rule. The check fails when one of them no longer does: then remove it here
 * and give it a line above (`node scripts/checks/folder-figures.ts --order` prints the order).
 */
export const pendingOrders: readonly string[] = [
  'apps/blobstore',
  'apps/localnet',
  'apps/relayer',
  'apps/sidecar',
  'bench',
  'packages/blob-id',
  'apps/memrelay',
  'packages/sdk',
];
