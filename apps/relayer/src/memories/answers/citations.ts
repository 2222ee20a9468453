/**
 * Rewrites the model's citations while its answer is being streamed: `[m3]` becomes `[1]` if the third memory is the
 * first one cited. Citations of memories that were not offered are removed, and other brackets around numbers become
 * parentheses, so that every `[n]` in an answer is an offered memory.
 */
export interface Citations {
  /** Returns the next piece of the answer that can be shown */
  push(piece: string): string;
  /** The rest, at the end of the answer */
  end(): string;
  /** Positions of the cited memories, in the order of their numbers */
  readonly used: readonly number[];
}

/** A citation that may be incomplete, with the white space before it, which is removed along with it */
const unfinished = /(?<!\s)\s*(?:\[[\sm\d,;]{0,200})?$/;
/** Starts at the first of several white spaces: one attempt for each would take seconds on a long run of them */
const mark = /(?<!\s)(\s*)\[([\sm\d,;]*)\]/g;

/** Control characters except line breaks and tabs, and characters that change the writing direction. */
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
