import type { CheckJudgment } from '@vantage/shared/monitor-types/definition.js';
import { definitionOf } from '@vantage/shared/probe-types/index.js';
import type { CheckJob, CheckMeasurement, MeasureJob, Measurement } from 'vantage-agent/measuring/child-messages.js';
import type { SeededRandom } from '../seeded-random.js';
import type { SimulatedProcess } from './process.js';
import type { Recorder } from './recorder.js';

const BLANK = { ...(definitionOf('tcp').blank({ target: '192.0.2.9:80', params: {} } as never) as object) };

const WELL: CheckJudgment = { outcome: 'ok', responseMs: 12, statusCode: null, error: null };
const FAILED: CheckJudgment = {
  outcome: 'failed',
  responseMs: null,
  statusCode: null,
  error: { code: 'tcp_refused', message: 'nobody is there' },
};

/** Measures nothing, which takes its time; every run of it is written down. */
export class SimulatedEngine {
  readonly #process: SimulatedProcess;
  readonly #random: SeededRandom;

  constructor(
    process: SimulatedProcess,
    private readonly who: { readonly nodeId: string; readonly bootId: string; readonly recorder: Recorder },
  ) {
    this.#process = process;
    this.#random = process.world.random.fork();
  }

  measure({ id }: MeasureJob): Promise<Measurement> {
    const { nodeId, bootId, recorder } = this.who;
    const { clock } = this.#process;
    const name = id.slice(-5);
    recorder.add('started', { subject: id, nodeId, bootId }, `measures ${name}`);
    const startedMs = clock.monotonicMs();
    return new Promise((resolve) => {
      this.#process.after(this.#random.magnitude(5, 4_000), () => {
        const durationMs = clock.monotonicMs() - startedMs;
        // as in runner.ts: a wall clock that was set meanwhile moves the start too
        const startedAt = new Date(clock.now() - durationMs).toISOString();
        recorder.add('produced', { subject: id, nodeId, durationMs }, `has measured ${name}`);
        resolve({ id, resultJson: resultOf(startedAt, durationMs), loopLagMs: 0 });
      });
    });
  }

  /** Simulates a check, which only takes time. */
  check({ id }: CheckJob): Promise<CheckMeasurement> {
    const { clock } = this.#process;
    const startedMs = clock.monotonicMs();
    const isWell = this.#random.chance(0.9);
    return new Promise((resolve) => {
      this.#process.after(this.#random.magnitude(5, 4_000), () => {
        const startedAt = clock.now() - (clock.monotonicMs() - startedMs);
        resolve({
          id,
          judgment: isWell ? WELL : FAILED,
          detailsJson: null,
          startedAt,
          loopLagMs: 0,
          isDisturbed: false,
        });
      });
    });
  }

  cancel(): void {}
}

function resultOf(startedAt: string, durationMs: number): string {
  const common = { success: true, error: null, disturbed: false, loop_lag_ms: 0 };
  return JSON.stringify({ ...BLANK, ...common, started_at: startedAt, duration_ms: durationMs });
}
