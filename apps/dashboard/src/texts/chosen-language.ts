import { type Language, languageNames } from './translate.ts';

const storageKey = 'memrelay.language';

/** The language that the user chose, else the first of the browser's languages that has a catalogue. */
export function chosenLanguage(): Language {
  const wanted = [localStorage.getItem(storageKey), ...navigator.languages];
  const found = wanted
    .map((each) => each?.slice(0, 2))
    .find((each) => each !== undefined && each in languageNames);
  return (found as Language | undefined) ?? 'en';
}

export function rememberLanguage(language: Language): void {
  localStorage.setItem(storageKey, language);
}

/** The browser's form of the language, e.g. `en-GB`, which decides how dates are written. */
export function localeOf(language: Language): string {
  return navigator.languages.find((each) => each.slice(0, 2) === language) ?? language;
}
