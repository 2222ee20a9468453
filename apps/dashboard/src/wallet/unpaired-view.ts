import { button, element } from '../ui/element.ts';
import { actions, paragraph, show } from '../ui/view.ts';
import { WalletError } from './owner-wallet.ts';
import { pairingCodeIn, pairTab } from './tab-pairing.ts';

/** For the links of tools, which are pairing links too. */
const titles: Readonly<Record<string, string>> = {
  pairing_used: 'This sign-in link has already been used',
  pairing_expired: 'This sign-in link has expired',
  pairing_foreign: 'This sign-in link is not from the running system',
  pairing_incomplete: 'This sign-in link is incomplete',
};
const explanations: Readonly<Record<string, string>> = {
  pairing_used:
    'It opened another browser. Nothing was changed here. Let your tool sign in again for a new link.',
  pairing_expired: 'Let your tool sign in again for a new link.',
  pairing_foreign:
    'memrelay was restarted after the link was created, or it belongs to another computer or data directory. Let your tool sign in again.',
  pairing_incomplete: 'Copy all of it: terminals break long lines. Or let your tool sign in again.',
};

/** Asks for a pairing link. `refused` is the problem with the previous one; `onPaired` continues with the page. */
export function showUnpaired(onPaired: () => void, refused?: WalletError): void {
  const field = element('input', {
    type: 'text',
    id: 'pairing-link',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'http://127.0.0.1:…/#pairing=…',
  });
  const problem = element(
    'p',
    { class: 'problem', role: 'alert', hidden: refused === undefined },
    refused ? (explanations[refused.code] ?? refused.message) : '',
  );
  const pair = async (): Promise<void> => {
    const code = pairingCodeIn(field.value);
    try {
      if (code === undefined)
        throw new WalletError('no_link', 'This is not a pairing link. Copy the whole link.', false);
      await pairTab(code);
    } catch (error) {
      if (!(error instanceof WalletError)) throw error;
      problem.textContent = error.message;
      problem.hidden = false;
      return field.focus();
    }
    onPaired();
  };
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') void pair();
  });
  show({
    title: titles[refused?.code ?? ''] ?? 'Let this browser use your wallet',
    parts: [
      problem,
      paragraph(
        'Your wallet is on this computer. Only a browser opened with a pairing link may use it. Each link works once, within ten minutes.',
      ),
      paragraph(
        'Run ',
        element('code', {}, 'npx memrelay pair'),
        ' in a terminal on this computer to get a new link, then open it or paste it here.',
      ),
      element('label', { for: 'pairing-link' }, 'Pairing link'),
      field,
      actions(button('Continue', 'main', () => void pair())),
    ],
  });
}
