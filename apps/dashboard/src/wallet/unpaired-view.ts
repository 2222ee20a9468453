import { linkTexts } from '../texts/link-texts.ts';
import { button, element } from '../ui/element.ts';
import { actions, paragraph, show } from '../ui/view.ts';
import { WalletError } from './owner-wallet.ts';
import { pairingCodeIn, pairTab } from './tab-pairing.ts';

/** For the links of tools, which are pairing links too. */
const reasons = ['used', 'expired', 'foreign', 'incomplete'] as const;

/** Asks for a pairing link. `refused` is the problem with the previous one; `onPaired` continues with the page. */
export function showUnpaired(onPaired: () => void, refused?: WalletError): void {
  const t = linkTexts();
  const reason = reasons.find((each) => refused?.code === `pairing_${each}`);
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
    reason ? t(`link.reason.${reason}`) : (refused?.message ?? ''),
  );
  const pair = async (): Promise<void> => {
    const code = pairingCodeIn(field.value);
    try {
      if (code === undefined) throw new WalletError('no_link', t('pair.not-a-link'), false);
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
    title: reason ? t(`link.refused.${reason}`) : t('pair.title'),
    parts: [
      problem,
      paragraph(t('pair.about')),
      paragraph(t('pair.command')),
      element('p', {}, element('code', {}, 'npx memrelay pair')),
      element('label', { for: 'pairing-link' }, t('pair.field')),
      field,
      actions(button(t('pair.continue'), 'main', () => void pair())),
    ],
  });
}
