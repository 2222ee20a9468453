import type { ReactNode } from 'react';
import { go, usePlace } from './location.ts';

/** A link to another page of the application, which opens without reloading. */
export function PageLink({
  to,
  children,
  className,
  isExact = false,
}: {
  to: string;
  children: ReactNode;
  className?: string;
  /** Pages below it are not parts of it */
  isExact?: boolean;
}) {
  const { path } = usePlace();
  return (
    <a
      href={to}
      className={className}
      aria-current={currentOf(path, new URL(to, window.location.origin).pathname, isExact)}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

/** The page itself, or the one that it is a part of. */
function currentOf(path: string, target: string, isExact: boolean): 'page' | 'true' | undefined {
  if (path === target) return 'page';
  return !isExact && target !== '/' && path.startsWith(`${target}/`) ? 'true' : undefined;
}
