import type { RememberOptions, RememberResult } from '@memrelay/sdk/types';
import { useCallback } from 'react';
import { problemText } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useToasts } from '../parts/toasts.tsx';
import { useSession } from '../session/session-context.ts';
import { useRefresh } from './memory-queries.ts';

/** Follows a write until it is stored, and shows its stages. */
export function useFollowJob(): (accepted: RememberResult) => void {
  const { client } = useSession();
  const { t } = useTexts();
  const toasts = useToasts();
  const refresh = useRefresh();
  return useCallback(
    ({ jobId }) => {
      const showStage = (stage: 'queued' | 'embedding' | 'uploading' | 'indexing'): void =>
        toasts.show({ id: jobId, icon: 'busy', title: t(`job.${stage}`) });
      showStage('queued');
      refresh();
      client
        .waitForJob(jobId, {
          onProgress: ({ status, stage }) => {
            if (status === 'running' && stage) showStage(stage);
          },
        })
        .then(({ deduplicated }) => {
          toasts.show({ id: jobId, icon: 'check', title: t(deduplicated ? 'job.duplicate' : 'job.done') });
        })
        .catch((error: unknown) => {
          toasts.show({ id: jobId, icon: 'problem', title: t('job.failed'), about: problemText(error, t) });
        })
        .finally(refresh);
    },
    [client, refresh, t, toasts],
  );
}

/** The fields of the form, as `remember` takes them. */
export interface NewMemory {
  text: string;
  namespace: string;
  /** Separated by commas */
  tags: string;
  /** A day as `2026-12-31`, or empty */
  until: string;
}

export function rememberOptions({ namespace, tags, until }: NewMemory): RememberOptions {
  const names = tags
    .split(/[,、，]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    ...(namespace.trim() === '' ? {} : { namespace: namespace.trim() }),
    ...(names.length === 0 ? {} : { tags: names }),
    // To the end of that day on this computer
    ...(until === '' ? {} : { expiresAt: new Date(`${until}T23:59:59`) }),
  };
}
