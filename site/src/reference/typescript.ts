import { join } from 'node:path';
import { Application } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { root } from '../base/repository.ts';

/** What programs import, with the file that exports it. */
export const typescriptEntries: Readonly<Record<string, string>> = {
  '@memrelay/sdk': 'packages/sdk/src/public.ts',
  '@memrelay/sdk/account': 'packages/sdk/src/account/public.ts',
  '@memrelay/sdk/audit': 'packages/sdk/src/audit.ts',
  '@memrelay/sdk/bundle': 'packages/sdk/src/bundle/public.ts',
  '@memrelay/sdk/credentials': 'packages/sdk/src/public-node.ts',
  '@memrelay/sdk/manual': 'packages/sdk/src/manual/public.ts',
};

/** Writes a page of Markdown for each entry into `out`, named like the entry. */
export async function writeTypescriptReference(out: string): Promise<void> {
  const markdown: Partial<PluginOptions> = {
    outputFileStrategy: 'modules',
    entryFileName: 'index',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    hidePageTitle: false,
    hideGroupHeadings: false,
    pageTitleTemplates: { module: ({ name }) => `\`${name}\`` },
    parametersFormat: 'table',
    propertiesFormat: 'table',
    interfacePropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    enumMembersFormat: 'table',
    expandParameters: true,
    useCodeBlocks: true,
  };
  const app = await Application.bootstrapWithPlugins({
    ...markdown,
    entryPoints: Object.values(typescriptEntries).map((path) => join(root, path)),
    plugin: ['typedoc-plugin-markdown'],
    tsconfig: join(root, 'tsconfig.node.json'),
    // `npm run check` checks the types
    skipErrorChecking: true,
    outputs: [{ name: 'markdown', path: out }],
    readme: 'none',
    excludePrivate: true,
    excludeInternal: true,
    excludeExternals: true,
    disableSources: true,
    disableGit: true,
    sort: ['source-order'],
    logLevel: 'Warn',
    validation: { notExported: false, invalidLink: true },
  } as never);
  const project = await app.convert();
  if (!project) throw new Error('TypeDoc cannot read the SDK');
  for (const reflection of project.children ?? []) reflection.name = nameOf(reflection.name);
  await app.generateOutputs(project);
}

/** TypeDoc names a module after its file, relative to the folder that they share. */
function nameOf(file: string): string {
  const entry = Object.entries(typescriptEntries).find(([, source]) => source.endsWith(`/src/${file}.ts`));
  if (!entry) throw new Error(`TypeDoc found an unknown entry, ${file}`);
  return entry[0];
}
