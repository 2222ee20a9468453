import type { JobOutcome, Stats } from '@memrelay/sdk/types';
import { useMutation } from '@tanstack/react-query';
import { useFailedJobs } from '../memories/memory-queries.ts';
import { useFollowJob } from '../memories/save-memory.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { ShortId } from '../parts/short-id.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';

/** Memories that are being stored, and those that could not be, with the reason and a way to try again. */
export function JobPanel({ stats }: { stats: Stats }) {
  const { t, counted, number } = useTexts();
  const { running, failed, failedIds = [] } = stats.jobs;
  const { data: jobs = [], error } = useFailedJobs(failedIds);
  return (
    <section className="panel">
      <h2>{t('overview.jobs.title')}</h2>
      <p className="job-count">
        <Icon name={running === 0 ? 'check' : 'archive'} />
        {running === 0 ? t('overview.jobs.idle') : counted('overview.jobs.running', running)}
      </p>
      {error ? <ProblemNote error={error} /> : null}
      {failed === 0 ? null : (
        <>
          <h3>{t('overview.jobs.failed', { count: number(failed) })}</h3>
          <ul className="failed-jobs" aria-label={t('overview.jobs.failed', { count: number(failed) })}>
            {failedIds.map((id) => (
              <FailedJob key={id} id={id} job={jobs.find(({ jobId }) => jobId === id)} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function FailedJob({ id, job }: { id: string; job: JobOutcome | undefined }) {
  const { t } = useTexts();
  const { client } = useSession();
  const follow = useFollowJob();
  const retry = useMutation({
    mutationFn: async () => follow(await client.retryJob(id)),
  });
  return (
    <li className="failed-job">
      <Icon name="problem" />
      <div>
        <p>{job?.error ?? t('overview.jobs.reason-unknown')}</p>
        <p className="row-facts">
          <ShortId id={id} />
        </p>
        {retry.isError ? <ProblemNote error={retry.error} /> : null}
      </div>
      <Button
        small
        icon="retry"
        text={t('action.retry')}
        isBusy={retry.isPending}
        onPress={() => retry.mutate()}
      />
    </li>
  );
}
