import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  icon: IconName;
  title: string;
  about: string;
  /** The next step */
  children?: ReactNode;
}

export function EmptyState({ icon, title, about, children }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <span className="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      <p>{about}</p>
      {children}
    </div>
  );
}
