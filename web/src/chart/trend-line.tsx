import classes from './trend-line.module.css';

interface TrendLineProps {
  readonly values: readonly number[];
  /** True: it needs to be looked at. */
  readonly isBad: boolean;
}

const width = 96;
const height = 24;
const margin = 3;

/** How a number went, without a scale: beside the number itself, so screen readers leave it out. */
export function TrendLine({ values, isBad }: TrendLineProps) {
  const largest = Math.max(1, ...values);
  const places = values.map((value, place) => {
    const x = margin + (place / Math.max(1, values.length - 1)) * (width - 2 * margin);
    const y = height - margin - (value / largest) * (height - 2 * margin);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const [endX = width - margin, endY = height - margin] = places.at(-1)?.split(',').map(Number) ?? [];
  const bottom = height - margin;
  return (
    <svg
      className={classes.trend}
      data-tone={isBad ? 'bad' : 'quiet'}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
      focusable="false"
    >
      <path className={classes.area} d={`M${margin},${bottom} L${places.join(' ')} L${endX},${bottom} Z`} />
      <polyline className={classes.line} points={places.join(' ')} />
      <circle className={classes.end} cx={endX} cy={endY} r={2} />
    </svg>
  );
}
