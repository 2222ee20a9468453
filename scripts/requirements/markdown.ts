/** The text without fenced blocks and inline code, in which brackets and hashes have another meaning. */
export function withoutCode(markdown: string): string {
  return markdown.replace(/^(`{3,})[\s\S]*?^\1$/gm, '').replace(/`[^`\n]*`/g, '`code`');
}

/** Targets of links and images, without titles. */
export function linksOf(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, target]) => target!);
}

/** The anchors of the headings, in the format of code hosts. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const plain = markdown.replace(/^(`{3,})[\s\S]*?^\1$/gm, '');
  return new Set(
    [...plain.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

export interface CodeBlock {
  language: string;
  code: string;
}

/** Fenced blocks in order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({
    language: language!,
    code: code!,
  }));
}
