import type { Theme } from 'vitepress';
import defaultTheme from 'vitepress/theme-without-fonts';
import { homeExample } from './home-example.ts';
import { versionSwitch } from './version-switch.ts';

export const theme: Theme = {
  extends: defaultTheme,
  enhanceApp({ app }) {
    app.component('VersionSwitch', versionSwitch);
    app.component('HomeExample', homeExample);
  },
};
