/** At most 15 digits with single signs between them. The last sign of the expression keeps parts of longer numbers out. */
const phoneLike = /(?<![\p{L}\p{N}.])(?:\+|\()?\d(?:[ \u00a0()./-]{0,2}\d){6,14}(?![\p{L}\p{N}])/gu;
const date = /^\d{4}-\d{2}-\d{2}$|^\d{1,2}\.\d{1,2}\.\d{4}$/;
const compared = 7;

/** Terms of the phone numbers in a text: their last seven digits, however they are grouped, with or without prefix. */
export function phoneTerms(text: string): string[] {
  return [...text.matchAll(phoneLike)].flatMap(([number]) =>
    date.test(number) ? [] : [`☎${number.replace(/\D/gu, '').slice(-compared)}`],
  );
}
