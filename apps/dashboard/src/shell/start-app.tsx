import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { TextsProvider } from '../parts/texts-context.tsx';
import { ToastsProvider } from '../parts/toasts.tsx';
import { chosenLanguage } from '../texts/chosen-language.ts';
import { loadLanguage } from '../texts/translate.ts';
import { App } from './app.tsx';

/** The SDK retries by itself, and shows what remains. */
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 2_000 } } });

export async function startApp(root: HTMLElement): Promise<void> {
  await loadLanguage(chosenLanguage());
  createRoot(root).render(
    <TextsProvider>
      <QueryClientProvider client={queries}>
        <ToastsProvider>
          <App />
        </ToastsProvider>
      </QueryClientProvider>
    </TextsProvider>,
  );
}
