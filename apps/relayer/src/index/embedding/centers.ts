/**
 * Some models place all texts in a narrow cone: with e5-small-v2, unrelated texts have similarities of 0.7 to 0.82, and
 * some texts are near every question. What is left of both vectors after subtracting the mean of many others shows whether
 * two belong together (bench/README.md, "Unrelated questions").
 */
export interface Centers {
  /** Mean of the unit vectors of many questions, and of many texts */
  questions: Float32Array;
  texts: Float32Array;
  /** A memory without a word of the question is a hit only if its relatedness is above this */
  least: number;
}

/**
 * `(question − mean of questions) · (text − mean of texts)`, about 0 for unrelated ones. `similarity`: question · text;
 * `textToQuestions`: text · mean of questions.
 */
export function relatedness(
  { questions, texts }: Pick<Centers, 'questions' | 'texts'>,
  question: Float32Array,
  similarity: number,
  textToQuestions: number,
): number {
  return similarity - dot(question, texts) - textToQuestions + dot(questions, texts);
}

/** The similarity from which an average text is related to the question. */
export function leastSimilarity({ texts, least }: Centers, question: Float32Array): number {
  return least + dot(question, texts);
}

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i]! * other[i]!;
  return sum;
}

/** Values from −1 to 1 as 16-bit integers, base64. */
export function encodeCenter(center: Float32Array): string {
  const bytes = Buffer.alloc(center.length * 2);
  for (const [i, value] of center.entries()) bytes.writeInt16LE(Math.round(value * 32_767), i * 2);
  return bytes.toString('base64');
}

export function decodeCenter(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return Float32Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(i * 2) / 32_767);
}
