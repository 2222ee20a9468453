import { startApp } from '../shell/start-app.tsx';
import { applyTheme } from '../ui/theme.ts';

applyTheme();
void startApp(document.querySelector('#app')!);
