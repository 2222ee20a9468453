import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { useTexts } from './texts-context.tsx';
import { withToast } from './toast-list.ts';

export interface Toast {
  id: string;
  icon: IconName | 'busy';
  title: string;
  about?: string | undefined;
  actions?: readonly { text: string; onPress: () => void }[];
  /** Length of the undo window, shown as a bar that runs out */
  windowMs?: number;
}

interface Toasts {
  /** Shows a toast, or replaces the one with the same id */
  show(toast: Toast): void;
  close(id: string): void;
}

const ToastsContext = createContext<Toasts | undefined>(undefined);

/** Messages at the bottom of the page. They stay until they are closed, because some readers need longer. */
export function ToastsProvider({ children }: { children: ReactNode }) {
  const { t } = useTexts();
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const close = useCallback((id: string) => setToasts((all) => all.filter((each) => each.id !== id)), []);
  const show = useCallback((toast: Toast) => setToasts((all) => withToast(all, toast)), []);
  const value = useMemo(() => ({ show, close }), [show, close]);
  return (
    <ToastsContext value={value}>
      {children}
      <section className="toasts" aria-label={t('toasts.label')} aria-live="polite">
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} onClose={() => close(toast.id)} />
        ))}
      </section>
    </ToastsContext>
  );
}

function ToastCard({ toast, onClose }: { toast: Toast; onClose: () => void }) {
  const { t } = useTexts();
  const { icon, title, about, actions = [], windowMs } = toast;
  return (
    <div className="toast">
      {icon === 'busy' ? <span className="spinner" /> : <Icon name={icon} />}
      <div className="toast-text">
        <p>{title}</p>
        {about === undefined ? null : <p className="hint">{about}</p>}
      </div>
      {actions.map(({ text, onPress }) => (
        <Button key={text} small text={text} onPress={onPress} />
      ))}
      {windowMs === undefined ? (
        <Button kind="plain" small icon="close" aria-label={t('action.close')} onPress={onClose} />
      ) : (
        <span className="toast-window" style={{ animationDuration: `${windowMs}ms` }} />
      )}
    </div>
  );
}

export function useToasts(): Toasts {
  const toasts = useContext(ToastsContext);
  if (!toasts) throw new Error('useToasts needs a ToastsProvider above it');
  return toasts;
}
