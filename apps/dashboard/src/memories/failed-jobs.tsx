import { useMutation } from '@tanstack/react-query';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';
import { useFailedJobs, useStats } from './memory-queries.ts';
import { useFollowJob } from './save-memory.ts';

/** Memories that could not be stored, with the reasons and a way to try again. Nothing if there are none. */
export function FailedJobs() {
  const { client } = useSession();
  const { t, counted } = useTexts();
  const { data: stats } = useStats();
  const follow = useFollowJob();
  const ids = stats?.jobs.failedIds ?? [];
  const { data: jobs = [] } = useFailedJobs(ids);
  const retry = useMutation({
    mutationFn: async () => {
      for (const id of ids) follow(await client.retryJob(id));
    },
  });
  if (!stats || ids.length === 0) return null;
  const reasons = [...new Set(jobs.flatMap(({ error }) => (error === undefined ? [] : [error])))];
  return (
    <div className="problem-note" role="status">
      <Icon name="problem" />
      <div>
        <p className="problem-text">{counted('jobs.failed', stats.jobs.failed)}</p>
        {reasons.map((reason) => (
          <p key={reason} className="hint">
            {reason}
          </p>
        ))}
        {retry.isError ? <ProblemNote error={retry.error} /> : null}
      </div>
      <Button
        small
        icon="retry"
        text={t('action.retry')}
        isBusy={retry.isPending}
        onPress={() => retry.mutate()}
      />
    </div>
  );
}
