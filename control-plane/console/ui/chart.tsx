import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { formatMark, formatTime, timeZone } from '../texts/format.js';
import { common } from '../texts/words.js';

interface ChartProps {
  readonly label: string;
  /** Instants in seconds since the epoch. */
  readonly at: readonly number[];
  readonly series: readonly {
    readonly label: string;
    readonly values: readonly (number | null)[];
    readonly colour: string;
  }[];
  /** Text of a value, for the axis and the legend. */
  format(value: number): string;
}

/** Lines over time. The colours are names of the style sheet: `--link`. The same data must be on the page as a table, for those who can't see it. */
export function Chart({ label, at, series, format }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = element.current;
    if (place === null) return;
    const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name);
    const axis = {
      stroke: colour('--muted'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { stroke: colour('--line') },
    };
    const zone = timeZone();
    const plot = new uPlot(
      {
        width: place.clientWidth,
        height: 220,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), zone),
        series: [
          {
            label: common().time,
            value: (_, seconds: number | null) => (seconds === null ? '–' : formatTime(seconds * 1_000)),
          },
          ...series.map((one) => ({
            label: one.label,
            stroke: colour(one.colour),
            width: 1.5,
            value: (_: uPlot, value: number | null) => (value === null ? '–' : format(value)),
          })),
        ],
        axes: [
          { ...axis, values: (_, marks) => marks.map((mark) => formatMark(new Date(mark * 1_000), spanOf(at))) },
          { ...axis, size: 70, values: (_, values) => values.map(format) },
        ],
      },
      [[...at], ...series.map(({ values }) => [...values])] as uPlot.AlignedData,
      place,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: 220 }));
    observer.observe(place);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [at, series, format]);
  return <div class="chart" role="img" aria-label={label} ref={element} />;
}

function spanOf(at: readonly number[]): number {
  return (at.at(-1) ?? 0) - (at[0] ?? 0);
}
