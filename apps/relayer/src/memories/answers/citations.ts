/**
 * Turns the marks of the model into ours while its answer is still coming: `[m3]` becomes `[1]` where the third memory is
 * the first that the answer names. Marks of what was not offered are taken out, and brackets of the model's own around
 * numbers become round, so that every `[n]` of an answer is a memory that was offered.
 */
export interface Citations {
  /** The next piece of the answer, as it may be shown */
  push(piece: string): string;
  /** What was held back at the end */
  end(): string;
  /** Positions of the memories that are named, in the order of their numbers */
  readonly used: readonly number[];
}

/** A mark that may not be whole yet, with the white space before it: a mark that is taken out takes that along */
const unfinished = /(?<!\s)\s*(?:\[[\sm\d,;]{0,200})?$/;
/** Begins at the first of several white spaces: one try for each would take seconds for a long run of them */
const mark = /(?<!\s)(\s*)\[([\sm\d,;]*)\]/g;

/** Control characters but line breaks and tabs; what turns the direction of writing. */
const steering = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

export function createCitations(offered: number): Citations {
  const used: number[] = [];
  let held = '';

  function numberOf(position: number): number {
    const known = used.indexOf(position);
    if (known >= 0) return known + 1;
    return used.push(position);
  }

  const rewrite = (text: string): string =>
    text.replace(mark, (_, space: string, inside: string) => {
      const names = inside.split(/[\s,;]+/).filter((name) => name !== '');
      if (names.some((name) => !/^m\d+$/.test(name))) return `${space}(${inside})`;
      const positions = names.map((name) => Number(name.slice(1)) - 1);
      const valid = [...new Set(positions)].filter((position) => position >= 0 && position < offered);
      return valid.length === 0
        ? ''
        : `${space}${valid.map((position) => `[${numberOf(position)}]`).join('')}`;
    });

  return {
    used,
    push(piece) {
      held += piece.replace(steering, '');
      const end = unfinished.exec(held)!.index;
      const ready = rewrite(held.slice(0, end));
      held = held.slice(end);
      return ready;
    },
    end() {
      const rest = rewrite(held.trimEnd());
      held = '';
      return rest;
    },
  };
}
