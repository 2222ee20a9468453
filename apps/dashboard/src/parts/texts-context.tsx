import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { chosenLanguage, localeOf, rememberLanguage } from '../texts/chosen-language.ts';
import { type Language, loadLanguage, type Texts, textsIn } from '../texts/translate.ts';

interface Provided extends Texts {
  choose(language: Language): void;
}

const TextsContext = createContext<Provided | undefined>(undefined);

/** Texts in the chosen language, for everything below, including those of React Aria. */
export function TextsProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(chosenLanguage);
  const texts = useMemo(() => {
    const choose = (next: Language): void => {
      rememberLanguage(next);
      void loadLanguage(next).then(() => setLanguage(next));
    };
    return { ...textsIn(language, localeOf(language)), choose };
  }, [language]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return (
    <I18nProvider locale={localeOf(language)}>
      <TextsContext value={texts}>{children}</TextsContext>
    </I18nProvider>
  );
}

export function useTexts(): Provided {
  const texts = useContext(TextsContext);
  if (!texts) throw new Error('useTexts needs a TextsProvider above it');
  return texts;
}
