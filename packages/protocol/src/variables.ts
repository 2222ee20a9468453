import { blobVariables } from './variables/blobs.ts';
import { commandVariables, localVariables } from './variables/client.ts';
import type { VariableDeclaration, VariableDeclarations, VariableReader } from './variables/declaration.ts';
import { modelVariables } from './variables/models.ts';
import { chainVariables, sidecarVariables, toolVariables } from './variables/network.ts';
import {
  backlogVariables,
  limitVariables,
  relayerVariables,
  requiredVariables,
  secretVariables,
} from './variables/service.ts';

/**
 * The table of all environment variables of the contract (spec "Operator configuration", decisions.md "Configuration
 * beyond the spec"), one file for each subject in `variables/`. From it come the relayer's parser, the tables of
 * docs/configuration.md, the list in `memrelay relayer --help`, and what `memrelay up` and the relayer pass to each part. A
 * snapshot test guards the names: renaming one needs a deprecation.
 */
const declarations = {
  ...requiredVariables,
  ...secretVariables,
  ...relayerVariables,
  ...backlogVariables,
  ...limitVariables,
  ...modelVariables,
  ...sidecarVariables,
  ...chainVariables,
  ...blobVariables,
  ...toolVariables,
  ...localVariables,
  ...commandVariables,
} as const satisfies VariableDeclarations;

export type DeclaredVariables = typeof declarations;

export interface VariableSection {
  /** The heading in docs/configuration.md */
  title: string;
  variables: VariableDeclarations;
}

export const variableSections: readonly VariableSection[] = [
  { title: 'Required', variables: requiredVariables },
  { title: 'Secrets of the server', variables: secretVariables },
  { title: 'Relayer', variables: relayerVariables },
  { title: 'Background work', variables: backlogVariables },
  { title: 'Rate limits, metrics and alerts', variables: limitVariables },
  { title: 'Embeddings and language model', variables: modelVariables },
  { title: 'Sidecar', variables: sidecarVariables },
  { title: 'Chain and key servers', variables: chainVariables },
  { title: 'Blobs', variables: blobVariables },
  { title: 'Tool server', variables: toolVariables },
  { title: 'Local system', variables: localVariables },
  { title: 'Command and tools of a client', variables: commandVariables },
];

export type VariableName = keyof typeof declarations;

/** The variables that the reader is declared to read. */
export type VariableOf<Reader extends VariableReader> = {
  [Name in VariableName]: Reader extends (typeof declarations)[Name]['readBy'][number] ? Name : never;
}[VariableName];

export const declaredVariables: Readonly<Record<VariableName, VariableDeclaration>> = declarations;

export const knownVariables: readonly string[] = Object.keys(declarations);

/** Names of the variables that a part reads. */
export function variablesOf<Reader extends VariableReader>(reader: Reader): readonly VariableOf<Reader>[] {
  const names = Object.keys(declarations) as VariableName[];
  return names.filter((name): name is VariableOf<Reader> => declaredVariables[name].readBy.includes(reader));
}

/** Read by the stdio tool package and the command, never by the relayer. */
export const clientVariables: readonly string[] = variablesOf('client');

/** Prefixes of our variables: an unknown variable with one of them is probably misspelt. */
export const ownPrefixes: readonly string[] = ['MEM_', 'STORE_', 'ENC_', 'SPONSOR_', 'MCP_'];

/** Prefixes of the original system's (MemWal's) variables, each with ours. */
const originalPrefixes: readonly (readonly [string, string])[] = [
  ['MEMWAL_', 'MEM_'],
  ['SEAL_', 'ENC_'],
  ['WALRUS_', 'STORE_'],
  ['SUI_', 'CHAIN_'],
  ['OPENAI_', 'LLM_'],
  ['ENOKI_', 'SPONSOR_'],
  ['SERVER_SUI_', 'SERVER_CHAIN_'],
];

/**
 * Variables of the original system that are set while our counterpart is not, each with our name. Their values are never
 * read, because an `OPENAI_API_KEY` may be meant for another program.
 */
export function originalVariables(names: readonly string[]): { original: string; ours: string }[] {
  return names.flatMap((original) => {
    const prefix = originalPrefixes.find(([theirs]) => original.startsWith(theirs));
    const ours = prefix && prefix[1] + original.slice(prefix[0].length);
    return ours && knownVariables.includes(ours) && !names.includes(ours) ? [{ original, ours }] : [];
  });
}
