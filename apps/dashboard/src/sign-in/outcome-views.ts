import { scopeWords } from '../scope/scope-choice.ts';
import { linkTexts } from '../texts/link-texts.ts';
import { copyable } from '../ui/copyable.ts';
import { button, element } from '../ui/element.ts';
import { quoted, shortId } from '../ui/quoted.ts';
import { actions, facts, paragraph, show } from '../ui/view.ts';
import type { ScopeState } from '../wallet/wallet-api.ts';

/** The views for every step and result of a sign-in. */

export function showBadLink(): void {
  const t = linkTexts();
  show({
    title: t('link.bad'),
    tone: 'bad',
    parts: [paragraph(t('link.bad.reason')), paragraph(t('link.bad.next'))],
  });
}

export function showExpired(): void {
  const t = linkTexts();
  const [before, after] = t('link.expired.next', { command: '\n' }).split('\n');
  show({
    title: t('link.expired'),
    tone: 'bad',
    parts: [
      paragraph(t('link.expired.reason')),
      paragraph(before!, element('code', {}, 'npx memrelay-mcp login'), after!),
    ],
  });
}

const steps = [
  ['register', 'Creating a key and registering it on chain'],
  ['hand-over', 'Sending it to the tool, which verifies it'],
  ['revoke', 'Revoking the key'],
] as const;

export type Step = (typeof steps)[number][0];

export function showWorking(now: Step): void {
  const currentIndex = steps.findIndex(([step]) => step === now);
  const shown = steps.filter(([step]) => step !== 'revoke' || now === 'revoke');
  show({
    title: 'Connecting…',
    tone: 'busy',
    parts: [
      element(
        'ol',
        { class: 'steps', 'aria-live': 'polite' },
        ...shown.map(([, text], i) =>
          element('li', { class: i === currentIndex ? 'now' : i < currentIndex ? 'over' : 'later' }, text),
        ),
      ),
    ],
  });
}

export interface ConnectedFacts {
  label: string;
  walletAddress: string;
  accountId: string;
  scope: ScopeState;
}

export function showConnected({ label, walletAddress, accountId, scope }: ConnectedFacts): void {
  show({
    title: 'Connected. You can close this page.',
    tone: 'good',
    parts: [
      paragraph(quoted(label, 60), ` may now ${scopeWords(scope)}.`),
      facts([
        ['Wallet', shortId(walletAddress)],
        ['Account', shortId(accountId)],
      ]),
      element(
        'p',
        { class: 'small' },
        'To revoke the key: ',
        element('a', { href: '/keys' }, 'your keys'),
        ', or ',
        element('code', {}, 'npx memrelay delegate list'),
        ' in a terminal.',
      ),
    ],
  });
}

export interface CodeFacts {
  label: string;
  code: string;
  /** Unix time in ms */
  expiresAt: number;
  onArrived: () => void;
  onRevoke: () => void;
}

/** For a tool on another machine, which this browser cannot reach. */
export function showCode({ label, code, expiresAt, onArrived, onRevoke }: CodeFacts): void {
  const left = element('p', { class: 'small', role: 'timer' });
  show({
    title: 'One more step: paste this where the tool runs',
    parts: [
      paragraph(
        'This browser cannot reach ',
        quoted(label, 60),
        ', which probably runs on another machine. If it runs on this one, it was closed or has created a newer link: ',
        'press “It did not work” and sign in with the newer link.',
      ),
      paragraph(
        'In a terminal on that machine, run this command, or paste the part after ',
        element('code', {}, '--code'),
        ' where the tool asks for a code:',
      ),
      copyable(`npx memrelay-mcp login --code ${code}`, 'Command with the sign-in code'),
      left,
      paragraph('The tool then says that you are signed in. Only this tool can use the code.'),
      actions(
        button('The tool says it worked', 'main', onArrived),
        button('It did not work: revoke the key', 'danger', onRevoke),
      ),
    ],
  });
  const tick = (): void => {
    if (!left.isConnected) {
      clearInterval(timer);
      return;
    }
    const seconds = Math.max(0, Math.ceil((expiresAt - Date.now()) / 1000));
    left.textContent =
      seconds > 0
        ? `Expires in ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}.`
        : 'The code has expired. If the tool does not say that it worked, revoke the key.';
  };
  const timer = setInterval(tick, 1000);
  tick();
}

/** For a tool whose response this browser may not read. */
export function showUnconfirmed(label: string, onArrived: () => void, onRevoke: () => void): void {
  show({
    title: 'One more step: check the tool',
    parts: [
      paragraph(
        'The key is registered, and the result was sent to ',
        quoted(label, 60),
        ' on this computer. This browser could not read a response, so check the tool: does it say that it is signed in?',
      ),
      actions(
        button('The tool says it worked', 'main', onArrived),
        button('It did not work: revoke the key', 'danger', onRevoke),
      ),
    ],
  });
}

export function showFailed(reason: string, onAgain: (() => void) | undefined): void {
  show({
    title: 'Not connected',
    tone: 'bad',
    parts: [
      paragraph(reason),
      paragraph('Its key was revoked or never registered: nothing is left on chain.'),
      onAgain
        ? actions(button('Try again', 'main', onAgain))
        : paragraph('Ask your tool to sign in again to get a new link.'),
    ],
  });
}

export function showLeftBehind(reason: string, publicKey: string, onRevoke: () => void): void {
  show({
    title: 'Not connected, and a key may still be registered',
    tone: 'bad',
    parts: [
      paragraph(reason),
      paragraph(
        'Its key could not be revoked. No one has its private key, so no one can use it. You should still revoke it:',
      ),
      copyable(`npx memrelay delegate revoke ${publicKey}`, 'Command that revokes the key'),
      actions(button('Revoke it now', 'main', onRevoke)),
    ],
  });
}
