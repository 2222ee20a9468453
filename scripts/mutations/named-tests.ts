import type { Requirement } from '../requirements/manifest.ts';

/** The arguments with which vitest runs exactly the tests of a statement. */
export interface NamedTests {
  /** Test files, from the root of the repository */
  files: string[];
  /** For `--testNamePattern` */
  pattern: string;
}

/** `%s`, `%i`, `%#`, `$name` and `${…}` of `test.each` and template literals: any text */
const placeholder = /%[sdifjoOc#%$]|\$\{[^}]*\}|\$[a-zA-Z_][\w.]*/g;

/** The tests of a built statement. */
export function namedTests({ tests = [] }: Requirement): NamedTests {
  const references = tests.map((reference) => {
    const [file = '', ...titles] = reference.split(' > ');
    // Vitest joins the titles of blocks and tests in the same way
    return { file, pattern: titlePattern(titles.join(' > ')) };
  });
  return {
    files: [...new Set(references.map(({ file }) => file))],
    pattern: `(?:^| )(?:${references.map(({ pattern }) => pattern).join('|')})$`,
  };
}

function titlePattern(title: string): string {
  const texts = title.split(placeholder).map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  return texts.join('.*');
}
