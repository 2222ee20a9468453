/** The theme of all pages: that of the system unless the user has chosen one. */
export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'memrelay.theme';

export function chosenTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function rememberTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, theme);
  applyTheme(theme);
}

/** Call at the start of every page. */
export function applyTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
