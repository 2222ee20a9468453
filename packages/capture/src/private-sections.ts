const tag = /<(\/?)private\b[^<>]*>/gi;

export interface PublicText {
  text: string;
  /** Sections that were removed */
  sections: number;
}

/**
 * Removes `<private>…</private>` sections, also nested ones. When in doubt it removes more: a section that is not closed ends
 * with the text, and a closing tag without an opening one removes everything before it.
 */
export function withoutPrivateSections(text: string): PublicText {
  const kept: string[] = [];
  let sections = 0;
  let depth = 0;
  let from = 0;
  for (const { 0: found, 1: slash, index } of text.matchAll(tag)) {
    if (depth === 0) {
      if (slash) kept.length = 0;
      else kept.push(text.slice(from, index));
      sections++;
    }
    depth = Math.max(0, depth + (slash ? -1 : 1));
    from = index + found.length;
  }
  if (depth === 0) kept.push(text.slice(from));
  return { text: kept.join(''), sections };
}
