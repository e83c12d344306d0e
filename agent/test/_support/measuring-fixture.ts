import { fileURLToPath } from 'node:url';
import { until } from '@vantage/shared/_support/until.js';
import { type Clock, systemClock } from '@vantage/shared/clock.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { pino } from 'pino';
import type { Test } from 'tap';
import type { CheckJob, MeasureJob, Measurement } from '../../src/measuring/child-messages.js';
import { MeasuringProcess } from '../../src/measuring/measuring-process.js';
import { defaultEngineSettings } from '../../src/probes/default-settings.js';

const log = pino({ enabled: false });

/** Programs that are forked: engines that misbehave; a child that never gets to measuring; one that ends at once; one that lies. */
const programs = {
  misbehaving: new URL('../program/fake-measuring-child.js', import.meta.url),
  loading: new URL('../program/never-opening-child.js', import.meta.url),
  dying: new URL('./dying-child.js', import.meta.url),
  hostile: new URL('./taken-over-child.js', import.meta.url),
};
type ChildKind = keyof typeof programs;

/**
 * A measuring process whose children have the engines of fake-measuring-child.ts, but those that `successors` says
 * otherwise of, in the order of their forking after the first.
 */
export function startMeasuring(
  t: Test,
  {
    clock = systemClock,
    first = 'misbehaving',
    successors = [],
    onFork = () => {},
  }: { clock?: Clock; first?: ChildKind; successors?: readonly ChildKind[]; onFork?: () => void } = {},
): MeasuringProcess {
  const kinds: ChildKind[] = [first, ...successors];
  const measuring = new MeasuringProcess({
    settings: defaultEngineSettings,
    serviceUrl: 'https://vantage.example',
    clock,
    log,
    get program() {
      onFork();
      return fileURLToPath(programs[kinds.shift() ?? 'misbehaving']);
    },
  });
  measuring.start();
  t.teardown(() => measuring.stop());
  return measuring;
}

/** Has the child grow, and waits until it has said so. @returns its process id */
export async function growChild(measuring: MeasuringProcess): Promise<number> {
  const pid = measuring.pid ?? 0;
  await measuring.measure(aJob('eat.example'));
  await measuring.measure(aJob('minute.example'));
  return pid;
}

/** Waits until another child than `old` gets the jobs. @returns its process id */
export async function successorOf(measuring: MeasuringProcess, old: number): Promise<number> {
  await until('another child gets the jobs', () => measuring.pid !== null && measuring.pid !== old);
  return measuring.pid ?? 0;
}

let jobs = 0;

/** A TCP probe of port 80 of `target`. */
export function aJob(target: string, deadlineMs = 60_000): MeasureJob {
  jobs += 1;
  const specJson = JSON.stringify({ target: `${target}:80`, params: { timeout_ms: 30_000 } });
  return { id: `pt_${jobs}`, type: 'tcp', specJson, deadlineMs, caller: '' };
}

/** A check of port 80 of `target` by a TCP monitor. */
export function aCheck(target: string): CheckJob {
  jobs += 1;
  return {
    id: `check ${jobs}`,
    type: 'tcp',
    target: `${target}:80`,
    configJson: JSON.stringify({ timeout_ms: 30_000 }),
    deadlineMs: 60_000,
    patienceMs: 5_000,
    caller: 'm_1',
    nowMs: Date.now(),
    wantsDetails: false,
  };
}

/** The result of a measurement, after checking that it is one a control plane would take. */
export function resultOf(measurement: Measurement): {
  success: boolean;
  error: { code: string; message: string } | null;
  /** The process that measured. */
  banner?: string;
} {
  const checked = compileSchema(agentResultSchema('tcp'))(JSON.parse(measurement.resultJson));
  if (!checked.ok) throw new Error(JSON.stringify(checked.details));
  return checked.value as ReturnType<typeof resultOf>;
}
