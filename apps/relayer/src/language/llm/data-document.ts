/**
 * Texts of others, as one JSON document for the model. Quotes and line breaks are escaped by JSON, so nothing inside can
 * end its field; `<` and `>` too, so that a server which reads `<|im_start|>` or `</s>` in a message as the turn of
 * somebody else finds none.
 */
export function dataDocument(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  )
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e');
}
