const code = /(^(`{3,})[\s\S]*?^\2$|`[^`\n]+`)/gm;

/** Applies `change` to everything but fenced blocks and code in backticks. */
export function mapProse(markdown: string, change: (prose: string) => string): string {
  let result = '';
  let end = 0;
  for (const { 0: block, index } of markdown.matchAll(code)) {
    result += change(markdown.slice(end, index)) + block;
    end = index + block.length;
  }
  return result + change(markdown.slice(end));
}

/** Replaces the targets of links and images. */
export function mapLinks(markdown: string, change: (target: string) => string): string {
  return mapProse(markdown, (prose) =>
    prose.replace(/\]\(([^)\s]+)/g, (_match, target: string) => `](${change(target)}`),
  );
}

/** The title, and the first paragraph as plain text. */
export function titleAndSummary(markdown: string): { title: string; summary: string } {
  const [, title = ''] = /^# (.+)$/m.exec(markdown) ?? [];
  const [, first = ''] = /^# .+\n+([^#|`\n][^\n]*)/m.exec(markdown) ?? [];
  return { title: plain(title), summary: plain(first) };
}

/** Without links, emphasis and backticks. */
export function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .trim();
}

/** The anchor of a heading, as code hosts make it. Pages are read there too, so both must agree. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
