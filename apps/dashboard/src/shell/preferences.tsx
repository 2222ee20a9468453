import { useState } from 'react';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup';
import { ChoiceField } from '../parts/choice-field.tsx';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { type Language, languageNames } from '../texts/translate.ts';
import { chosenTheme, rememberTheme, type Theme } from '../ui/theme.ts';

const themes = ['system', 'light', 'dark'] as const;
const languages = (Object.keys(languageNames) as Language[]).map((value) => ({
  value,
  text: languageNames[value],
}));

/** Theme and language. */
export function Preferences() {
  const { t, language, choose } = useTexts();
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  const chooseTheme = (next: Theme): void => {
    rememberTheme(next);
    setTheme(next);
  };
  return (
    <div className="preferences">
      <ToggleButtonGroup
        className="themes"
        aria-label={t('nav.theme')}
        disallowEmptySelection
        selectedKeys={[theme]}
        onSelectionChange={(keys) => chooseTheme([...keys][0] as Theme)}
      >
        {themes.map((each) => (
          <ToggleButton key={each} id={each} className="theme" aria-label={t(`theme.${each}`)}>
            <Icon name={each} size={16} />
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <ChoiceField label={t('nav.language')} value={language} choices={languages} onChange={choose} />
    </div>
  );
}
