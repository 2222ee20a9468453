import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Icon, type IconName } from './icon.tsx';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'isPending'> {
  kind?: 'main' | 'quiet' | 'danger' | 'plain';
  icon?: IconName;
  /** Visible text; without it, `aria-label` is required */
  text?: string;
  small?: boolean;
  /**
   * The action runs, and another press does nothing. The button keeps the focus, unlike a disabled one. React Aria's own
   * `isPending` announces an image that is named by the button, even after the button is gone.
   */
  isBusy?: boolean;
}

export function Button({
  kind = 'quiet',
  icon,
  text,
  small = false,
  isBusy = false,
  onPress,
  ...props
}: ButtonProps) {
  const shape = [small ? 'small-button' : '', text === undefined ? 'icon-button' : ''].join(' ');
  return (
    <AriaButton
      {...props}
      {...(isBusy ? { 'data-pending': true } : onPress ? { onPress } : {})}
      className={`button ${kind} ${shape}`.trim()}
    >
      {icon ? <Icon name={icon} size={small || text === undefined ? 16 : 18} /> : null}
      {text}
    </AriaButton>
  );
}
