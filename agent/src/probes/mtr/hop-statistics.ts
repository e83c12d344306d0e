import type { HopStatistics } from '@vantage/shared/probe-types/hops.js';
import { meanOf, roundMs } from '@vantage/shared/probe-types/statistics.js';

type Times = Pick<HopStatistics, 'rtt' | 'jitter_ms'>;

/**
 * Round-trip times in the order in which they were measured, counted as mtr counts them: StDev is the sample standard
 * deviation, Javg the sum of the differences between neighbours over the number of replies.
 */
export function timesOf(rttsMs: readonly number[]): Times {
  return {
    rtt: {
      min_ms: rttsMs.length === 0 ? null : roundMs(Math.min(...rttsMs)),
      avg_ms: roundMs(meanOf(rttsMs)),
      max_ms: rttsMs.length === 0 ? null : roundMs(Math.max(...rttsMs)),
      stddev_ms: roundMs(sampleDeviationOf(rttsMs)),
      last_ms: roundMs(rttsMs.at(-1) ?? null),
    },
    jitter_ms: roundMs(meanOf(rttsMs.map((rttMs, i) => Math.abs(rttMs - (rttsMs[i - 1] ?? rttMs))))),
  };
}

function sampleDeviationOf(values: readonly number[]): number | null {
  const mean = meanOf(values);
  if (mean === null) return null;
  if (values.length === 1) return 0;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}
