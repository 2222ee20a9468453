/**
 * The published packages, in the order in which they are published.
 *
 * @typedef {object} PackageBuild
 * @property {string} name in the registry
 * @property {string} folder of its workspace
 * @property {'library' | 'program'} kind a library is built as ESM and CommonJS; a program only as ESM, for the oldest supported
 * Node, with the files of its URLs (follow-urls.mjs) and the features that older Nodes lack (node-20.mjs)
 * @property {string} summary
 * @property {readonly string[]} keywords
 * @property {Record<string, string>} entries source by output name
 * @property {readonly string[]} declared entries that have declarations
 * @property {readonly string[]} external dependencies of the published package; all others are bundled
 * @property {readonly string[]} [optional] of these: `optionalDependencies`
 * @property {readonly string[]} [peers] of these: optional `peerDependencies`
 * @property {readonly string[]} [required] of these: required `peerDependencies`, with the ranges of its workspace
 * @property {Record<string, string>} [bin] entry by command
 * @property {Record<string, string>} exports entry by subpath
 * @property {Record<string, { node: string, default: string }>} [imports] entries by name, for Node and for everything else
 * @property {readonly string[]} [sources] further folders that it is built from, in addition to its own workspace and `packages/`
 */

/** @type {readonly PackageBuild[]} */
export const packages = [
  {
    name: '@memrelay/blob-id',
    folder: 'packages/blob-id',
    kind: 'library',
    summary: 'Walrus blob ids (RS2), computed fast and in bounded memory',
    keywords: ['walrus', 'blob-id', 'reed-solomon', 'sui'],
    entries: { main: 'src/public.ts', pool: 'src/public-node.ts' },
    declared: ['main', 'pool'],
    external: ['piscina'],
    exports: { '.': 'main', './pool': 'pool' },
  },
  {
    name: '@memrelay/sdk',
    folder: 'packages/sdk',
    kind: 'library',
    summary: 'Store and recall encrypted memories, from Node and from browsers',
    keywords: ['memory', 'ai', 'agents', 'encryption', 'sui', 'walrus', 'seal'],
    entries: {
      main: 'src/public.ts',
      account: 'src/account/public.ts',
      audit: 'src/audit.ts',
      bundle: 'src/bundle/public.ts',
      credentials: 'src/public-node.ts',
      manual: 'src/manual/public.ts',
      webhooks: 'src/webhooks.ts',
      'find-credentials': 'src/find-credentials.ts',
      'find-credentials-node': 'src/find-credentials-node.ts',
    },
    declared: ['main', 'account', 'audit', 'bundle', 'credentials', 'manual', 'webhooks'],
    external: [
      '@noble/ciphers',
      '@noble/curves',
      '@noble/ed25519',
      '@noble/hashes',
      '@scure/base',
      '@mysten/seal',
      '@mysten/sui',
    ],
    peers: ['@mysten/seal', '@mysten/sui'],
    exports: {
      '.': 'main',
      './account': 'account',
      './audit': 'audit',
      './bundle': 'bundle',
      './credentials': 'credentials',
      './manual': 'manual',
      './webhooks': 'webhooks',
    },
    imports: { '#credentials': { node: 'find-credentials-node', default: 'find-credentials' } },
  },
  {
    name: '@memrelay/ai-sdk',
    folder: 'integrations/ai-sdk',
    kind: 'library',
    summary: 'Encrypted long-term memory for the AI SDK: a model wrapper and tools',
    keywords: ['ai-sdk', 'vercel-ai', 'memory', 'ai', 'agents', 'encryption'],
    entries: { main: 'src/public.ts' },
    declared: ['main'],
    external: ['@memrelay/sdk', 'ai'],
    required: ['@memrelay/sdk', 'ai'],
    exports: { '.': 'main' },
  },
  {
    name: '@memrelay/langchain',
    folder: 'integrations/langchain',
    kind: 'library',
    summary: 'Encrypted long-term memory for LangChain and LangGraph: store, chat history, retriever, tools',
    keywords: ['langchain', 'langgraph', 'memory', 'ai', 'agents', 'encryption'],
    entries: { main: 'src/public.ts' },
    declared: ['main'],
    external: ['@langchain/core', '@langchain/langgraph-checkpoint', '@memrelay/sdk'],
    required: ['@langchain/core', '@langchain/langgraph-checkpoint', '@memrelay/sdk'],
    exports: { '.': 'main' },
  },
  {
    name: '@memrelay/openai-agents',
    folder: 'integrations/openai-agents',
    kind: 'library',
    summary: 'Encrypted memory for the OpenAI Agents SDK: sessions and tools',
    keywords: ['openai-agents', 'openai', 'memory', 'ai', 'agents', 'encryption'],
    entries: { main: 'src/public.ts' },
    declared: ['main'],
    external: ['@memrelay/sdk', '@openai/agents'],
    required: ['@memrelay/sdk', '@openai/agents'],
    exports: { '.': 'main' },
  },
  {
    name: '@memrelay/blobstore',
    folder: 'apps/blobstore',
    kind: 'program',
    summary: 'A Walrus publisher and aggregator that runs from npm',
    keywords: ['walrus', 'publisher', 'aggregator', 'blob', 'storage', 'sui'],
    entries: { main: 'src/public.ts', blobstore: 'src/main.ts' },
    declared: ['main'],
    external: ['@mysten/walrus-wasm', 'piscina', 'libsql'],
    optional: ['libsql'],
    bin: { 'memrelay-blobstore': 'blobstore' },
    exports: { '.': 'main' },
  },
  {
    name: 'memrelay-mcp',
    folder: 'packages/mcp',
    kind: 'program',
    summary: 'Encrypted memory for AI agents: the MCP server over stdio',
    keywords: ['mcp', 'mcp-server', 'memory', 'ai', 'agents', 'encryption'],
    entries: { 'memrelay-mcp': 'src/stdio/main.ts' },
    declared: [],
    external: [],
    bin: { 'memrelay-mcp': 'memrelay-mcp' },
    exports: {},
  },
  {
    name: 'memrelay',
    folder: 'apps/memrelay',
    kind: 'program',
    summary:
      'Encrypted memory for AI agents, with keys that belong to their owner: the whole system in one command',
    keywords: ['memory', 'ai', 'agents', 'mcp', 'encryption', 'sui', 'walrus', 'seal'],
    entries: { memrelay: 'src/main.ts' },
    declared: [],
    external: [
      '@electric-sql/pglite',
      '@electric-sql/pglite-pgvector',
      '@mysten/walrus-wasm',
      'piscina',
      'libsql',
    ],
    optional: ['libsql'],
    bin: { memrelay: 'memrelay' },
    exports: {},
    sources: ['apps', 'examples'],
  },
];

/** The package of this name. Throws for an unknown one. @param {string} name */
export function packageNamed(name) {
  const found = packages.find((each) => each.name === name);
  if (!found)
    throw new Error(`no package ${name}; there are ${packages.map((each) => each.name).join(', ')}`);
  return found;
}

/** The oldest supported Node, which the packages declare and check at their start. */
export const oldestNode = { major: 20, minor: 19 };
