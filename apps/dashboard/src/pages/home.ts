import { startApp } from '../shell/start-app.tsx';
import { applyTheme } from '../ui/theme.ts';

applyTheme();
startApp(document.querySelector('#app')!);
