import type { ReactNode } from 'react';

interface PageHeadProps {
  title: string;
  about: string;
  /** What can be done on the page */
  children?: ReactNode;
}

export function PageHead({ title, about, children }: PageHeadProps) {
  return (
    <div className="page-head">
      <div>
        <h1>{title}</h1>
        <p className="hint">{about}</p>
      </div>
      {children}
    </div>
  );
}
