import { hostname } from 'node:os';
import type { Rule } from './rule.ts';

/** Home and scratch folders of a developer's machine. Fictional users (`you`, `alice`) may have homes in examples. */
const localPath =
  /(?<![\w.:/-])(?:\/home\/(?!(?:you|me|user|node|alice|bob)\b)\w+|\/Users\/(?!(?:you|me|user|alice|bob)\b)\w+|\/root\/|[A-Z]:\\Users\\|\/(?:workspace|builds)\/)/;
const textFile = /\.(ts|tsx|mts|mjs|js|json|md|move|toml|sql|ya?ml|sh|html|css|txt)$|(^|\/)(Dockerfile|run)$/;
const skipped = /(^|\/)package-lock\.json$|^scripts\/checks\/local-traces\./;
/** This machine's host name, if it is long and contains a digit: short names (`vm`, `server`) are ordinary words. */
const thisMachine = /^(?=.*\d)[\w-]{8,}/.exec(hostname())?.[0];

export const localTraces: Rule = {
  name: 'local-traces',
  why: 'a path or name of one machine is meaningless on others, and reveals details about the author',
  find: (tree) =>
    tree.paths
      .filter((path) => textFile.test(path) && !skipped.test(path))
      .flatMap((path) =>
        tree
          .read(path)
          .split('\n')
          .flatMap((content, index) => {
            const found =
              localPath.exec(content)?.[0] ?? (thisMachine && content.includes(thisMachine) && thisMachine);
            return found ? [{ file: path, line: index + 1, message: `"${found}"` }] : [];
          }),
      ),
};
