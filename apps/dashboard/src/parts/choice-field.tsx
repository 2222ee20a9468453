import { Button } from 'react-aria-components/Button';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select, SelectValue } from 'react-aria-components/Select';
import { Icon } from './icon.tsx';

export interface Choice<Value extends string> {
  value: Value;
  text: string;
  /** Shown at the end of its line */
  note?: string;
}

interface ChoiceFieldProps<Value extends string> {
  label: string;
  value: Value;
  choices: readonly Choice<Value>[];
  onChange: (value: Value) => void;
}

/** A drop-down list. The label is read out but not shown. */
export function ChoiceField<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: ChoiceFieldProps<Value>) {
  return (
    <Select className="choice-field" value={value} onChange={(key) => onChange(key as Value)}>
      <Label className="unseen">{label}</Label>
      <Button className="button quiet choice-button">
        <SelectValue className="choice-value" />
        <Icon name="chevron" size={16} />
      </Button>
      <Popover className="popover">
        <ListBox className="choices">
          {choices.map(({ value: id, text, note }) => (
            <ListBoxItem key={id} id={id} textValue={text} className="choice-item">
              <span className="choice-text">{text}</span>
              {note === undefined ? null : <span className="choice-note">{note}</span>}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}
