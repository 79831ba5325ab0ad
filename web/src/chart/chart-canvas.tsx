import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatShort } from '../parts/amount.ts';
import { formatMoment, formatTick } from '../parts/format-time.ts';
import { partsTexts } from '../texts/parts.ts';
import classes from './chart.module.css';
import type { ChartMark, ChartProps } from './chart-props.ts';
import { barAt, plotData } from './plot-data.ts';

/** The picture alone. Loaded when the first chart is shown. */
export default function ChartCanvas({ unit, times, values, marks = [], height = 180, kind }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { ref: sized, width } = useElementSize<HTMLDivElement>();
  const scheme = useComputedColorScheme();
  const plot = useRef<uPlot>(undefined);
  const latest = useRef({ times, values, marks, kind });
  latest.current = { times, values, marks, kind };
  const [pointed, setPointed] = useState<number>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: `scheme` changes the colours that are read from the page
  useEffect(() => {
    if (frame.current === null || width === 0) return;
    const colours = readColours(frame.current);
    const created = new uPlot(
      options({ width, height, colours, kind, marks: () => latest.current.marks, onPoint: setPointed }),
      plotData(latest.current),
      frame.current,
    );
    plot.current = created;
    return () => {
      created.destroy();
      plot.current = undefined;
    };
  }, [width, height, scheme, kind]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: marks are drawn again with the data
  useEffect(() => plot.current?.setData(plotData({ times, values, kind })), [times, values, marks]);

  const time = pointed === undefined ? undefined : times[pointed];
  const value = pointed === undefined ? undefined : values[pointed];
  return (
    <div ref={sized}>
      <div ref={frame} className={classes.canvas} style={{ height }}>
        {!values.some(Boolean) && <p className={classes.none}>{partsTexts.noneInTime}</p>}
      </div>
      <div className={classes.readout}>
        {time !== undefined && value !== undefined
          ? `${formatMoment(time, Date.now())}: ${value.toLocaleString('en')} ${unit}`
          : '\u00a0'}
      </div>
    </div>
  );
}

interface Colours {
  readonly bar: string;
  readonly level: string;
  /** Below the line of a level. */
  readonly area: string;
  readonly line: string;
  readonly text: string;
  readonly mark: string;
  readonly body: string;
}

function readColours(element: HTMLElement): Colours {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    bar: read('--muster-link'),
    level: read('--muster-bad'),
    area: read('--muster-bad-area'),
    line: read('--muster-line'),
    text: read('--muster-quiet'),
    mark: read('--muster-mark'),
    body: read('--mantine-color-text'),
  };
}

interface CanvasOptions {
  readonly width: number;
  readonly height: number;
  readonly colours: Colours;
  readonly kind: ChartProps['kind'];
  readonly marks: () => readonly ChartMark[];
  readonly onPoint: (index: number | undefined) => void;
}

const wholeSteps = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

const timesHeight = 26;
/** Above the highest value, so that its line does not go through the name of a mark. */
const namesHeight = 20;

function options({ width, height, colours, kind, marks, onPoint }: CanvasOptions): uPlot.Options {
  const plotted = height - timesHeight;
  const room = () =>
    marks().some(({ name }) => name !== undefined) ? plotted / (plotted - namesHeight) : 1.08;
  const steps = uPlot.paths.stepped?.({ align: 1 });
  const bars = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  const axis = { stroke: colours.text, ticks: { show: false }, font: '12px system-ui, sans-serif' };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(4, max * room())] } },
    axes: [
      {
        ...axis,
        size: timesHeight,
        grid: { show: false },
        values: (_plot, splits) => splits.map((seconds) => formatTick(seconds * 1_000)),
        space: 72,
      },
      {
        ...axis,
        size: 44,
        grid: { stroke: colours.line, width: 1 },
        // What is counted is whole.
        incrs: wholeSteps,
        values: (_plot, splits) => splits.map(formatShort),
      },
    ],
    series: [
      {},
      kind === 'flow'
        ? {
            stroke: colours.text,
            fill: `color-mix(in srgb, ${colours.text} 14%, transparent)`,
            width: 1.5,
            points: { show: false },
            ...(steps && { paths: steps }),
          }
        : kind === 'level'
          ? { stroke: colours.level, fill: colours.area, width: 1.5, points: { show: false } }
          : {
              fill: colours.bar,
              width: 0,
              points: { show: false },
              ...(bars && { paths: bars }),
            },
    ],
    hooks: {
      setCursor: [(plot) => onPoint(pointedBar(plot))],
      draw: [(plot) => drawMarks(plot, marks(), colours)],
    },
  };
}

function pointedBar({ cursor: { left = -1 }, data, posToVal }: uPlot): number | undefined {
  return left < 0 ? undefined : barAt(data[0], posToVal(left, 'x'));
}

function drawMarks(plot: uPlot, marks: readonly ChartMark[], colours: Colours): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const { at, drawnAt = at, name, isChange = true } of marks) {
    const x = Math.round(plot.valToPos(drawnAt / 1_000, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = isChange ? colours.mark : colours.body;
    ctx.fillStyle = ctx.strokeStyle;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (isChange) drawTip(plot, x);
    if (name !== undefined) nameMark(plot, x, name);
  }
  ctx.restore();
}

function drawTip({ ctx, bbox }: uPlot, x: number): void {
  const size = 4 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x - size, bbox.top);
  ctx.lineTo(x + size, bbox.top);
  ctx.lineTo(x, bbox.top + size * 1.4);
  ctx.fill();
}

/** Before it, where the line is lower, if there is room. */
function nameMark({ ctx, bbox }: uPlot, x: number, text: string): void {
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  const gap = 16 * devicePixelRatio;
  const isLeft = x - gap - ctx.measureText(text).width >= bbox.left;
  ctx.textAlign = isLeft ? 'right' : 'left';
  ctx.textBaseline = 'top';
  ctx.fillText(text, isLeft ? x - gap : x + gap, bbox.top);
}
