/**
 * Encodes untrusted texts as one JSON document for the model. JSON escapes quotes and line breaks, so a text cannot end
 * its field. `<` and `>` are escaped too, because some servers interpret `<|im_start|>` or `</s>` in a message as the
 * start of another turn.
 */
export function dataDocument(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  )
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e');
}
