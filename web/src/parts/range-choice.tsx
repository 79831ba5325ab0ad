import { useId } from 'react';
import { type ChartRange, chartRanges } from '../chart/chart-range.ts';
import classes from './range-choice.module.css';

interface RangeChoiceProps {
  readonly label: string;
  readonly texts: Readonly<Record<ChartRange, string>>;
  readonly value: ChartRange;
  readonly onChange: (range: ChartRange) => void;
}

/** How far back a chart goes. Of its own, because the overview is the first screen, and the library's takes as much as the rest of it. */
export function RangeChoice({ label, texts, value, onChange }: RangeChoiceProps) {
  const name = useId();
  return (
    <fieldset className={classes.choice}>
      <legend className="visually-hidden">{label}</legend>
      {chartRanges.map((range) => (
        <label key={range}>
          <input
            type="radio"
            name={name}
            value={range}
            checked={range === value}
            onChange={() => onChange(range)}
            className="visually-hidden"
          />
          <span>{texts[range]}</span>
        </label>
      ))}
    </fieldset>
  );
}
