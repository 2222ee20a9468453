/**
 * Splits texts into words or sentences. What it needs of ICU is loaded for the first text, because it takes memory and 10 ms,
 * and most relayers never see a text that needs it.
 */
export function textSegments(
  granularity: 'word' | 'sentence',
  locale?: string,
): (text: string) => Intl.Segments {
  let segmenter: Intl.Segmenter | undefined;
  return (text) => {
    segmenter ??= new Intl.Segmenter(locale, { granularity });
    return segmenter.segment(text);
  };
}
