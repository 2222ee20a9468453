import type { OpenMemory } from '@memrelay/sdk/bundle/export-bundle';

/** A date that an import added before the text. */
const datePrefix = /^\[(\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)\] /;

/** A line from which an import stores the same text with the same date and fields in the same namespace. */
export function jsonLine({ id, namespace, createdAt, text, context }: OpenMemory): string {
  const occurredAt = datePrefix.exec(text)?.[1];
  return `${JSON.stringify({
    id,
    namespace,
    created_at: createdAt,
    ...(occurredAt ? { occurred_at: occurredAt } : {}),
    ...context,
    text: text.replace(datePrefix, ''),
  })}\n`;
}

/** A section for people to read; an import does not read it back. */
export function markdownSection({ id, namespace, createdAt, text }: OpenMemory): string {
  const heading = `## ${datePrefix.exec(text)?.[1] ?? createdAt.slice(0, 16).replace('T', ' ')} · ${namespace}`;
  return `${heading}\n\n${text.replace(datePrefix, '')}\n\n<!-- ${id} -->\n\n`;
}
