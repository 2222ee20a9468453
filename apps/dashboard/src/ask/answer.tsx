import type { AskResult } from '@memrelay/sdk/ask';
import { PageLink } from '../parts/page-link.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { harmless } from '../ui/harmless-text.ts';

const shownCharacters = 600;
const addressOf = (id: string): string => `/memories/ask?memory=${id}`;

/** A complete answer. Its text comes from a model that has read memories of others, so it is shown as text only. */
export function Answer({ answer }: { answer: AskResult }) {
  const { t, counted, ago, dateTime } = useTexts();
  const { memories, known, mock, usage, droppedCount = 0 } = answer;
  // `mock` also stands for an embedder without a model; only a chat model reports usage
  const isQuoted = mock === true && known && usage === undefined;
  return (
    <section className="panel answer" aria-label={t('ask.answer')}>
      {isQuoted ? <p className="note">{t('ask.mock')}</p> : null}
      {known ? null : <p className="note">{t('ask.unknown')}</p>}
      <p className="answer-text" role="status">
        <Cited text={answer.answer} memories={memories} />
      </p>
      {memories.length === 0 ? null : (
        <>
          <h2>{t('ask.sources')}</h2>
          <ol className="sources">
            {memories.map(({ id, text, createdAt }) => (
              <li key={id}>
                <PageLink to={addressOf(id)}>{harmless(text, shownCharacters)}</PageLink>
                {createdAt === undefined ? null : (
                  <time className="hint" dateTime={createdAt} title={dateTime(createdAt)}>
                    {ago(createdAt)}
                  </time>
                )}
              </li>
            ))}
          </ol>
        </>
      )}
      {droppedCount > 0 ? <p className="hint">{counted('search.dropped', droppedCount)}</p> : null}
    </section>
  );
}

/** A text in which `[1]` opens the first of the memories. */
function Cited({ text, memories }: { text: string; memories: AskResult['memories'] }) {
  const { t } = useTexts();
  return lines(text).flatMap((line, row) => [
    ...(row === 0 ? [] : ['\n']),
    ...line.split(/(\[\d{1,3}\])/).map((part, i) => {
      const cited = i % 2 === 1 ? memories[Number(part.slice(1, -1)) - 1] : undefined;
      return cited === undefined ? (
        part
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes
        <PageLink key={`${row} ${i}`} to={addressOf(cited.id)} className="citation">
          <span className="unseen">{t('ask.source')}</span>
          {part}
        </PageLink>
      );
    }),
  ]);
}

/** The lines of untrusted text, without characters that could make it look like another one. */
export function lines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => harmless(line, 20_000));
}
