import type { RecallHit } from '@memrelay/sdk/types';
import { useTexts } from '../parts/texts-context.tsx';

type Explanation = NonNullable<RecallHit['explain']>;

/** How much each of the two searches contributed to a hit. */
export function HitScores({ explanation, isLexical }: { explanation: Explanation; isLexical: boolean }) {
  const { t, percent } = useTexts();
  const { vector, keywords, vectorShare } = explanation;
  return (
    <>
      <dl className="scores">
        <Score name={t('search.meaning')} score={vector.score} rank={vector.rank} />
        {keywords ? <Score name={t('search.words')} score={keywords.score} rank={keywords.rank} /> : null}
      </dl>
      <p className="hint">
        {t('search.share', { meaning: percent(vectorShare), words: percent(1 - vectorShare) })}
        {isLexical ? ` ${t('search.lexical')}` : ''}
      </p>
    </>
  );
}

function Score({ name, score, rank }: { name: string; score: number; rank?: number | undefined }) {
  const { t, percent } = useTexts();
  const share = Math.min(1, Math.max(0, score));
  return (
    <div className="score">
      <dt>{name}</dt>
      <dd>
        <span className="bar" aria-hidden="true">
          <span className="bar-value" style={{ width: `${share * 100}%` }} />
        </span>
        <span className="figure">{percent(share)}</span>
        <span className="hint">
          {rank === undefined ? t('search.not-found') : t('search.rank', { rank })}
        </span>
      </dd>
    </div>
  );
}
