import { chosenLanguage } from './chosen-language.ts';
import { loadLanguage, type Texts, textsIn } from './translate.ts';

/**
 * The texts that explain a link, in the language of the reader, and marks the page as written in it. The pages for signing in
 * are in English otherwise. Call `loadLinkTexts` first.
 */
export function linkTexts(): Texts['t'] {
  const language = chosenLanguage();
  document.documentElement.lang = language;
  return textsIn(language).t;
}

/** Loads the texts before a link is judged. */
export async function loadLinkTexts(): Promise<void> {
  await loadLanguage(chosenLanguage());
}
