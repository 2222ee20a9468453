import { hostSnippet } from 'memrelay-mcp/hosts/host-snippet';
import { hosts } from 'memrelay-mcp/hosts/known-hosts';
import { useState } from 'react';
import { ChoiceField } from '../parts/choice-field.tsx';
import { CopyableCode } from '../parts/copyable-code.tsx';
import { Icon } from '../parts/icon.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';
import { harmless } from '../ui/harmless-text.ts';
import { type ProgramLanguage, programLanguages, programSnippet } from './program-snippets.ts';
import { useFirstCall } from './use-first-call.ts';

/** What to copy to connect an agent or a program, and whether it has arrived. */
export function ConnectPage() {
  const { t } = useTexts();
  return (
    <>
      <PageHead title={t('connect.title')} about={t('connect.about')} />
      <ConnectionCheck />
      <AgentSnippets />
      <ProgramSnippets />
    </>
  );
}

function ConnectionCheck() {
  const { t, ago } = useTexts();
  const { data: call, error, refetch } = useFirstCall();
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  return (
    <div className={call ? 'connection arrived' : 'connection'} role="status">
      {call ? <Icon name="check" size={22} /> : <span className="spinner" />}
      <div>
        <h2>
          {call?.kind === 'key'
            ? t('connect.check.key', { name: harmless(call.label, 60) })
            : call
              ? t('connect.check.memory', { namespace: harmless(call.namespace, 60) })
              : t('connect.check.waiting')}
        </h2>
        <p className="hint">
          {call ? t('connect.check.done.about', { time: ago(call.at) }) : t('connect.check.waiting.about')}
        </p>
      </div>
    </div>
  );
}

const hostChoices = hosts.map(({ name, title }) => ({ value: name, text: title }));

function AgentSnippets() {
  const { t } = useTexts();
  const { state } = useSession();
  const [name, setName] = useState(hosts[0]!.name);
  const host = hosts.find((each) => each.name === name)!;
  const { relayerUrl } = state;
  const args = [
    '-y',
    'memrelay-mcp',
    `--relayer=${relayerUrl}`,
    `--web-url=${window.location.origin}`,
    `--label=${host.title}`,
  ];
  const local = host.entry({ kind: 'local', command: 'npx', args })!;
  const remote = host.entry({ kind: 'remote', url: `${relayerUrl}/api/mcp`, headers: {} });
  return (
    <section className="panel snippets">
      <h2>{t('connect.agent')}</h2>
      <ChoiceField label={t('connect.agent.host')} value={name} choices={hostChoices} onChange={setName} />
      <p>{t('connect.agent.install')}</p>
      <CopyableCode code={`npx memrelay mcp install ${name}`} />
      <p>{t('connect.agent.file', { file: host.configPath(thisMachine()) })}</p>
      <CopyableCode code={hostSnippet(host, local)} />
      {remote ? (
        <>
          <p>{t('connect.agent.remote')}</p>
          <CopyableCode code={hostSnippet(host, remote)} />
        </>
      ) : null}
      <p className="hint">
        <a href={host.docs} target="_blank" rel="noreferrer">
          {t('connect.agent.docs', { host: host.title })}
        </a>
      </p>
    </section>
  );
}

/** This computer as far as the browser knows it, to name the usual place of a configuration. */
function thisMachine() {
  const { platform } = window.navigator;
  if (platform.startsWith('Win'))
    return { platform: 'win32', home: '%USERPROFILE%', env: { APPDATA: '%APPDATA%' } };
  return { platform: platform.startsWith('Mac') ? 'darwin' : 'linux', home: '~', env: {} };
}

const languageChoices = (Object.keys(programLanguages) as ProgramLanguage[]).map((value) => ({
  value,
  text: programLanguages[value],
}));

function ProgramSnippets() {
  const { t } = useTexts();
  const { state, accountId } = useSession();
  const [language, setLanguage] = useState<ProgramLanguage>('typescript');
  const { relayerUrl, packageId } = state;
  return (
    <section className="panel snippets">
      <h2>{t('connect.program')}</h2>
      <ChoiceField
        label={t('connect.program.language')}
        value={language}
        choices={languageChoices}
        onChange={setLanguage}
      />
      <p>{t('connect.program.key')}</p>
      <CopyableCode code="npx memrelay delegate add --label my-app --out my-app.json" />
      <CopyableCode code={programSnippet(language, { relayerUrl, accountId, packageId })} />
    </section>
  );
}
