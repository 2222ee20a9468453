import type { Rule } from './rule.ts';

const file = 'package-lock.json';

interface Locked {
  optionalDependencies?: Record<string, string>;
}

export const lockfile: Rule = {
  name: 'lockfile',
  why: 'npm install accepts an optional package the registry lacks, and npm ci then refuses the lockfile on every machine',
  find(tree) {
    if (!tree.paths.includes(file)) return [];
    const { packages } = JSON.parse(tree.read(file)) as { packages: Record<string, Locked> };
    return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !placesFor(path, name).some((place) => place in packages))
        .map((name) => ({
          file,
          message: `${name}, an optional dependency of ${path || 'the root'}, has no entry`,
        })),
    );
  },
};

/** Where Node would look for `name` from the package at `path`, nearest first. */
function placesFor(path: string, name: string): string[] {
  const places = [`${path}/node_modules/${name}`];
  for (
    let at = path.lastIndexOf('/node_modules/');
    at >= 0;
    at = path.lastIndexOf('/node_modules/', at - 1)
  ) {
    places.push(`${path.slice(0, at)}/node_modules/${name}`);
  }
  return [...places, `node_modules/${name}`];
}
