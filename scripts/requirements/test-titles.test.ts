import { expect, it } from 'vitest';
import { testTitles } from './test-titles.ts';

it('finds titles alone and with their describe blocks, including tables', () => {
  const source = `
    describe('outer', () => {
      describe.each(rows)('inner $name', () => {
        it("a neighbour's memory", () => {});
        it.each([1, 2])('refuses %i', () => {});
      });
    });
    test.skipIf(!redis)(\`with \${backend}\`, () => {});
    notATest('something else', () => {});`;
  expect([...testTitles(source)].sort()).toEqual(
    [
      "a neighbour's memory",
      "inner $name > a neighbour's memory",
      "outer > inner $name > a neighbour's memory",
      'refuses %i',
      'inner $name > refuses %i',
      'outer > inner $name > refuses %i',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the title as written in the source
      'with ${backend}',
    ].sort(),
  );
});
