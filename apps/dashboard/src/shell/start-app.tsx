import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { TextsProvider } from '../parts/texts-context.tsx';
import { ToastsProvider } from '../parts/toasts.tsx';
import { App } from './app.tsx';

/** The SDK retries by itself, and shows what remains. */
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 2_000 } } });

export function startApp(root: HTMLElement): void {
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
