import { type FormEvent, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { CopyableCode } from '../parts/copyable-code.tsx';
import { Icon } from '../parts/icon.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { WalletError } from '../wallet/owner-wallet.ts';
import { pairingCodeIn, pairTab } from '../wallet/tab-pairing.ts';
import { Preferences } from './preferences.tsx';

/** Asks for a pairing link. `refused` is the problem with the one in the address. */
export function PairPage({ refused, onPaired }: { refused: unknown; onPaired: () => void }) {
  const { t } = useTexts();
  const [link, setLink] = useState('');
  const [problem, setProblem] = useState<unknown>();
  const pair = async (event?: FormEvent): Promise<void> => {
    event?.preventDefault();
    const code = pairingCodeIn(link);
    try {
      if (code === undefined) throw new WalletError('no_link', t('pair.not-a-link'), false);
      await pairTab(code);
    } catch (error) {
      if (!(error instanceof WalletError)) throw error;
      return setProblem(error);
    }
    onPaired();
  };
  const shown = problem ?? refused;
  const reason = linkProblem(shown);
  return (
    <main className="alone">
      <section className="panel pair">
        {reason ? (
          <div role="alert" className="link-problem">
            <span className="welcome-icon warning">
              <Icon name="problem" size={26} />
            </span>
            <h1>{t(`pair.refused.${reason}`)}</h1>
            <p>{t(`pair.reason.${reason}`)}</p>
          </div>
        ) : (
          <>
            <h1>{t('pair.title')}</h1>
            {shown === undefined ? null : <ProblemNote error={shown} />}
            <p>{t('pair.about')}</p>
          </>
        )}
        <p>{t('pair.command')}</p>
        <CopyableCode code="npx memrelay pair" />
        <form className="form" onSubmit={(event) => void pair(event)}>
          <label htmlFor="pairing-link">{t('pair.field')}</label>
          <input
            id="pairing-link"
            type="text"
            autoComplete="off"
            spellCheck={false}
            placeholder="http://127.0.0.1:…/#pairing=…"
            value={link}
            onChange={({ target }) => setLink(target.value)}
          />
          <div className="form-actions">
            <Button kind="main" text={t('pair.continue')} onPress={() => void pair()} />
          </div>
        </form>
      </section>
      <Preferences />
    </main>
  );
}

const reasons = ['used', 'expired', 'foreign', 'incomplete'] as const;

/** Why a pairing link was refused; undefined for any other problem. */
function linkProblem(error: unknown): (typeof reasons)[number] | undefined {
  return error instanceof WalletError ? reasons.find((each) => error.code === `pairing_${each}`) : undefined;
}
