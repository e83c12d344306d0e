import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '@vantage/shared/clock.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { pino } from 'pino';
import type { Test } from 'tap';
import type { MeasureJob, Measurement } from '../../src/measuring/child-messages.js';
import { MeasuringProcess } from '../../src/measuring/measuring-process.js';

const program = fileURLToPath(new URL('./fake-measuring-child.js', import.meta.url));
const log = pino({ enabled: false });

/** A measuring process whose child has the engines of fake-measuring-child.ts. */
export function startMeasuring(t: Test, clock: Clock = systemClock): MeasuringProcess {
  const measuring = new MeasuringProcess({ allow: [], serviceUrl: 'https://vantage.example', clock, log, program });
  measuring.start();
  t.teardown(() => measuring.stop());
  return measuring;
}

let jobs = 0;

/** A TCP probe of port 80 of `target`. */
export function aJob(target: string, deadlineMs = 60_000): MeasureJob {
  jobs += 1;
  const specJson = JSON.stringify({ target: `${target}:80`, params: { timeout_ms: 30_000 } });
  return { id: `pt_${jobs}`, type: 'tcp', specJson, deadlineMs, caller: '' };
}

/** The result of a measurement, after checking that it is one a control plane would take. */
export function resultOf(measurement: Measurement): {
  success: boolean;
  error: { code: string; message: string } | null;
} {
  const checked = compileSchema(agentResultSchema('tcp'))(JSON.parse(measurement.resultJson));
  if (!checked.ok) throw new Error(JSON.stringify(checked.details));
  return checked.value as ReturnType<typeof resultOf>;
}
