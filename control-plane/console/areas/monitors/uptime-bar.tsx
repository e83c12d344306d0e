import type { getBars } from '../../../src/modules/monitors/routes/bars.js';
import type { DataOf } from '../../api/call.js';
import { formatDuration, formatPercent, formatTime } from '../../texts/format.js';
import { monitorTexts } from './texts.js';

type History = DataOf<typeof getBars>['items'][number];
type State = keyof History['bar'][number];

/** States in the order in which a cell with several of them shows one: the worst first. */
const worstFirst: readonly State[] = ['down', 'degraded', 'maintenance', 'up', 'unknown'];

/** States of a monitor over time, a mark for each part of it; an outage is taller too. Null while it is read. */
export function UptimeBar({ history }: { readonly history: History | null }) {
  const text = monitorTexts();
  if (history === null) return <svg class="uptime" viewBox="0 0 240 16" aria-hidden="true" />;
  const width = 240 / history.bar.length;
  const label = history.uptime_percent === null ? text.days : `${text.days}: ${formatPercent(history.uptime_percent)}`;
  return (
    <svg class="uptime" viewBox="0 0 240 16" preserveAspectRatio="none" role="img" aria-label={label}>
      {history.bar.map((cell, index) => {
        const state = worstFirst.find((one) => cell[one] > 0);
        if (state === undefined) return null;
        const isTall = state === 'down' || state === 'degraded';
        const from = formatTime(Date.parse(history.from) + index * history.step_s * 1_000);
        return (
          <rect
            key={from}
            class={state}
            x={index * width}
            y={isTall ? 0 : 4}
            width={width * 0.8}
            height={isTall ? 16 : 12}
          >
            {cell.down > 0 && <title>{text.barCell(from, formatDuration(cell.down))}</title>}
          </rect>
        );
      })}
    </svg>
  );
}
