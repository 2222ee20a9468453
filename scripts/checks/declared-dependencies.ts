import { builtinModules } from 'node:module';
import type { Finding, Rule } from './rule.ts';
import { packageOf } from './source-imports.ts';
import { isTest, type SourceFile, type SourceTree, type Workspace } from './source-tree.ts';

export const declaredDependencies: Rule = {
  name: 'declared-dependencies',
  why: 'a workspace must work when it is installed alone, and should not install packages that it does not use',
  find: (tree) =>
    tree.workspaces.flatMap((workspace) => [...undeclared(tree, workspace), ...unused(tree, workspace)]),
};

function undeclared(tree: SourceTree, workspace: Workspace): Finding[] {
  return codeOf(tree, workspace).flatMap((file) =>
    file.imports.flatMap(({ specifier, line }) => {
      const name = packageOf(specifier);
      if (!name || builtinModules.includes(name) || mayUse(tree, workspace, file, name)) return [];
      const where = isTest(file.path) ? 'dependencies or devDependencies' : 'dependencies';
      return [{ file: file.path, line, message: `${name} is not in the ${where} of ${workspace.folder}` }];
    }),
  );
}

function mayUse(tree: SourceTree, workspace: Workspace, file: SourceFile, name: string): boolean {
  if (name === workspace.name || workspace.dependencies.includes(name)) return true;
  const forDevelopment =
    isTest(file.path) || /\.config\.\w+$/.test(file.path) || !file.path.includes('/src/');
  return forDevelopment && (workspace.devDependencies.includes(name) || tree.rootDependencies.includes(name));
}

function unused(tree: SourceTree, workspace: Workspace): Finding[] {
  const files = codeOf(tree, workspace);
  if (files.length === 0) return [];
  const imported = new Set(
    files.flatMap(({ imports }) => imports.map(({ specifier }) => packageOf(specifier))),
  );
  const manifest = `${workspace.folder}/package.json`;
  return [...workspace.dependencies, ...workspace.devDependencies]
    .filter(
      (name) => !imported.has(name) && !isTypesOf(name, imported) && !isNamed(tree, workspace, files, name),
    )
    .map((name) => ({ file: manifest, message: `${name} is declared but not used` }));
}

/** Whether a package contains types of an imported one: `@types/pg` for `pg`, `@types/scope__name` for `@scope/name`. */
function isTypesOf(name: string, imported: ReadonlySet<string | undefined>): boolean {
  if (!name.startsWith('@types/')) return false;
  const served = name.slice('@types/'.length).replace(/^(.+)__/, '@$1/');
  return served === 'node' || imported.has(served);
}

/** Used without an import: as a string (a transport, a path to resolve) or as a command in a script. */
function isNamed(
  tree: SourceTree,
  workspace: Workspace,
  files: readonly SourceFile[],
  name: string,
): boolean {
  const manifest = JSON.parse(tree.read(`${workspace.folder}/package.json`)) as {
    scripts?: Record<string, string>;
  };
  const scripts = Object.values(manifest.scripts ?? {}).flatMap((script) => script.split(/\s+/));
  return (
    scripts.includes(name) ||
    files.some(({ text }) => text.includes(`'${name}'`) || text.includes(`'${name}/`))
  );
}

function codeOf(tree: SourceTree, workspace: Workspace): SourceFile[] {
  return tree.code.filter(({ path }) => path.startsWith(`${workspace.folder}/`));
}
