import { scopeWords } from '../scope/scope-choice.ts';
import { copyable } from '../ui/copyable.ts';
import { button, element } from '../ui/element.ts';
import { quoted, shortId } from '../ui/quoted.ts';
import { actions, facts, paragraph, show } from '../ui/view.ts';
import type { ScopeState } from '../wallet/wallet-api.ts';

/** Every way in which a sign-in can go on or end, as a person sees it. */

export function showBadLink(): void {
  show({
    title: 'This link is not whole',
    tone: 'bad',
    parts: [
      paragraph('It was cut off on its way, or it is no sign-in link.'),
      paragraph('Copy all of it, or let your tool make a new one: ask it to sign in again.'),
    ],
  });
}

export function showExpired(): void {
  show({
    title: 'This link has run out',
    tone: 'bad',
    parts: [
      paragraph('A sign-in link is good for five minutes, and once. Nothing was changed.'),
      paragraph(
        'Let your tool make a new one: ask it to sign in again, or run ',
        element('code', {}, 'npx memrelay-mcp login'),
        '.',
      ),
    ],
  });
}

const steps = [
  ['register', 'Making a key and registering it on chain'],
  ['hand-over', 'Handing it to the tool, which checks it'],
  ['revoke', 'Taking the key back'],
] as const;

export type Step = (typeof steps)[number][0];

export function showWorking(now: Step): void {
  const place = steps.findIndex(([step]) => step === now);
  const shown = steps.filter(([step]) => step !== 'revoke' || now === 'revoke');
  show({
    title: 'Connecting…',
    tone: 'busy',
    parts: [
      element(
        'ol',
        { class: 'steps', 'aria-live': 'polite' },
        ...shown.map(([, text], i) =>
          element('li', { class: i === place ? 'now' : i < place ? 'over' : 'later' }, text),
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
        'To take the key back: ',
        element('a', { href: '/' }, 'your keys'),
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

/** For a tool on another machine, where this browser reaches nobody. */
export function showCode({ label, code, expiresAt, onArrived, onRevoke }: CodeFacts): void {
  const left = element('p', { class: 'small', role: 'timer' });
  show({
    title: 'One more step: paste this where the tool runs',
    parts: [
      paragraph(
        'This browser does not reach ',
        quoted(label, 60),
        ', which probably runs on another machine. If it runs on this one, it was closed or has made a newer link: ',
        'press “It did not work”, and sign in with that.',
      ),
      paragraph(
        'In a terminal on that machine, run this; or paste what follows ',
        element('code', {}, '--code'),
        ' where the tool asks for a code:',
      ),
      copyable(`npx memrelay-mcp login --code ${code}`, 'Command with the sign-in code'),
      left,
      paragraph('The tool then says that you are signed in. The code opens for this one tool alone.'),
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
        ? `Good for another ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}.`
        : 'The time is over. If the tool has not said that it worked, revoke the key.';
  };
  const timer = setInterval(tick, 1000);
  tick();
}

/** For a tool whose answer this browser may not read. */
export function showUnconfirmed(label: string, onArrived: () => void, onRevoke: () => void): void {
  show({
    title: 'One more step: look at the tool',
    parts: [
      paragraph(
        'The key is registered, and the result was sent to ',
        quoted(label, 60),
        ' on this computer. This browser could not read an answer, so look at the tool: does it say that it is signed in?',
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
      paragraph(
        'The key that was made for it is revoked, or was never registered: nothing is left on chain.',
      ),
      onAgain
        ? actions(button('Try again', 'main', onAgain))
        : paragraph('Let your tool make a new link: ask it to sign in again.'),
    ],
  });
}

export function showLeftBehind(reason: string, publicKey: string, onRevoke: () => void): void {
  show({
    title: 'Not connected, and a key may be left',
    tone: 'bad',
    parts: [
      paragraph(reason),
      paragraph(
        'The key that was made for it could not be revoked now. Nobody holds its secret half, so it is of no use to anyone; still, take it out:',
      ),
      copyable(`npx memrelay delegate revoke ${publicKey}`, 'Command that revokes the key'),
      actions(button('Revoke it now', 'main', onRevoke)),
    ],
  });
}
