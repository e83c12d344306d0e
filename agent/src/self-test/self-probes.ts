import type { Canary } from '@vantage/shared/self-test.js';
import type { MeasuringProcess } from '../measuring/measuring-process.js';
import { parseJson } from '../measuring/parse-json.js';

/** Each probe, waiting included. */
const DEADLINE_MS = 15_000;

/** Probes that this node makes for itself, by the ordinary runner and policy, in turns with everybody's. */
export class SelfProbes {
  readonly #measuring: Pick<MeasuringProcess, 'measure'>;
  readonly #caller: string;
  #probes = 0;

  /** `caller`: whose turns they take; also what their ids begin with. */
  constructor(measuring: Pick<MeasuringProcess, 'measure'>, caller: string) {
    this.#measuring = measuring;
    this.#caller = caller;
  }

  /** Code of the failure; null if it answered. `family`: over that one alone. */
  canary({ type, target }: Canary, timeoutMs: number, family?: 4 | 6): Promise<string | null> {
    const version = family === undefined ? {} : { ip_version: `v${family}` };
    const params = { ...version, timeout_ms: timeoutMs };
    return this.probe(type, target, type === 'ping' ? { ...params, count: 1 } : params);
  }

  /** Code of the failure; null for success. */
  async probe(type: string, target: string, params: object): Promise<string | null> {
    this.#probes += 1;
    const specJson = JSON.stringify({ target, params });
    const id = `${this.#caller} ${this.#probes}`;
    const { resultJson } = await this.#measuring.measure({
      id,
      type,
      specJson,
      deadlineMs: DEADLINE_MS,
      caller: this.#caller,
    });
    const result = parseJson(resultJson) as { readonly error?: { readonly code: string } | null } | null;
    return result === null ? 'internal' : (result.error?.code ?? null);
  }
}
