import { useMemo } from 'preact/hooks';
import type { getTimeseries } from '../../../src/modules/monitors/routes/timeseries.js';
import { get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { formatMs } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { Chart } from '../../ui/chart.js';
import { Select } from '../../ui/field.js';
import { Loaded } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import { monitorTexts } from './texts.js';

const ranges = ['1h', '24h', '7d', '30d'] as const;
type Range = (typeof ranges)[number];

interface Point {
  readonly at: string;
  readonly avg: number | null;
  readonly p95: number | null;
}

/** Response times of a monitor over a chosen time, by all its nodes together. */
export function ResponseChart({ id }: { readonly id: string }) {
  const text = monitorTexts();
  const [{ range }, setState] = useAddressState({ range: '24h' });
  const query = useQuery(`${id} response ${range}`, async (signal) => {
    const { data } = await get<typeof getTimeseries>(`/v1/monitors/${id}/timeseries`, {
      query: { from: `-${range}` },
      signal,
    });
    return data.metric === 'response_ms' ? data.points : [];
  });
  return (
    <>
      <Select
        label={text.range}
        value={range as Range}
        options={ranges.map((value) => ({ value, label: text.ranges[value] }))}
        onChange={(chosen) => setState({ range: chosen })}
      />
      <Loaded query={query}>{(points) => <Points points={points} />}</Loaded>
    </>
  );
}

function Points({ points }: { readonly points: readonly Point[] }) {
  const text = monitorTexts();
  const at = useMemo(() => points.map((point) => Date.parse(point.at) / 1_000), [points]);
  const series = useMemo(
    () => [
      { label: text.average, values: points.map(({ avg }) => avg), colour: '--link' },
      { label: text.slowest, values: points.map(({ p95 }) => p95), colour: '--warn' },
    ],
    [points, text],
  );
  const measured = points.filter(({ avg }) => avg !== null);
  if (measured.length === 0) return <p>{text.noMeasurements}</p>;
  return (
    <>
      <Chart label={text.response} at={at} series={series} format={formatMs} />
      <details>
        <summary>{text.asTable}</summary>
        <table aria-label={text.response}>
          <thead>
            <tr>
              <th>{common().time}</th>
              <th class="number">{text.average}</th>
              <th class="number">{text.slowest}</th>
            </tr>
          </thead>
          <tbody>
            {measured.map(({ at: instant, avg, p95 }) => (
              <tr key={instant}>
                <td>
                  <Time at={instant} />
                </td>
                <td class="number">{formatMs(avg ?? 0)}</td>
                <td class="number">{p95 === null ? '–' : formatMs(p95)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
