import { type ReactNode, useId } from 'react';
import { formatNumber } from './amount.ts';
import classes from './choice.module.css';

interface ChoiceProps<Value extends string> {
  /** Names it for screen readers. */
  readonly label: string;
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

interface Option<Value extends string> {
  readonly value: Value;
  readonly text: ReactNode;
  /** How many there are. Undefined: nobody has counted. */
  readonly count?: number | undefined;
}

/** One of a few, side by side. Of its own, because the overview is the first screen, and the library's takes as much as the rest of it. */
export function Choice<Value extends string>({ label, options, value, onChange }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className={classes.choice}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="visually-hidden"
          />
          <span>
            {option.text}
            {option.count !== undefined && (
              <span className={classes.count}> {formatNumber(option.count)}</span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
