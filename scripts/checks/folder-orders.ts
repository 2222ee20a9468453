import { topFiles } from './folder-graph.ts';

/**
 * The order of the folders directly in `src`, lowest first: a file imports only its own folder and folders before it.
 * Folders in an inner list share a level and must not import each other. `topFiles` are the files directly in `src`;
 * they are the highest level unless the list names them. A workspace without folders in `src` needs no line here.
 */
export const folderOrders: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
  'apps/blobstore': [
    'base',
    ['faults', 'storage'],
    ['quilt', 'registry'],
    'aggregator',
    'publisher',
    'http',
    ['admin', 'auth', 'storage-node', 'upload-relay'],
    'config',
    'routes',
    'openapi',
  ],
  'apps/dashboard': [
    ['texts', 'ui'],
    ['parts', 'wallet'],
    'scope',
    ['session', 'sign-in'],
    ['keys', 'memories', 'oauth'],
    ['access', 'ask', 'connect', 'facts', 'overview', 'transfer'],
    'shell',
    'pages',
  ],
  'apps/localnet': [
    'execution',
    ['move', 'proto'],
    ['chain', 'walrus'],
    ['genesis', 'key-servers', 'rpc'],
    'sponsor',
  ],
  'apps/memrelay': [
    ['system', 'terminal'],
    ['bundle', 'client', 'completion', 'cost', 'hooks', 'hosts', 'import', 'local-model'],
    ['demo', 'doctor', 'owner'],
    'commands',
    'command-line',
  ],
  'apps/relayer': [
    'base',
    'audit',
    ['accounts', 'language', 'sidecar'],
    'blobs',
    'index',
    'jobs',
    'keys',
    'webhooks',
    'memories',
    'upkeep',
    'api',
    'config',
    'start',
    'doctor',
  ],
  'apps/sidecar': [['base', 'sponsor'], ['seal', 'store', 'tools'], ['accounts', 'config', 'open'], 'routes'],
  'packages/blob-id': ['source', 'kernel', 'field', 'encode'],
  'packages/mcp': [[topFiles, 'hosts'], 'sign-in', 'tools', 'stdio'],
  'packages/protocol': ['variables'],
  'packages/text-index': ['base', 'language', 'words', topFiles],
  'packages/sdk': ['wire', 'bundle', topFiles, ['account', 'manual'], 'private'],
  bench: ['base', ['baselines', 'recall-quality', 'system'], ['leakage', 'seed'], 'benches'],
  contracts: [topFiles, 'scenarios'],
  site: ['base', 'reference', 'pages', topFiles],
  testing: ['services'],
};

/**
 * Workspaces that still break the rule. The check fails when one of them no longer does: then remove it here
 * and give it a line above (`node scripts/checks/folder-figures.ts --order` prints the order).
 */
export const pendingOrders: readonly string[] = [];
