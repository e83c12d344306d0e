import {
  type MeasurementType,
  measurementOf,
  measurements,
  type ProbeResults,
} from '@vantage/shared/probe-types/index.js';
import type { ProbeEngine } from '../../src/probes/engine.js';
import { ProbeFailure } from '../../src/probes/failure.js';
import type { Engines } from '../../src/probes/index.js';

/** Engines that touch no network: each answers a blank success at once, unless `own` has one of the type. */
export function fakeEngines(own: Partial<Engines> = {}): Engines {
  const names = Object.keys(measurements) as MeasurementType[];
  // each has the engine of its own name
  return { ...Object.fromEntries(names.map((type) => [type, succeeding(type)])), ...own } as Engines;
}

/** An engine that measures nothing and is content. */
export function succeeding<T extends MeasurementType>(type: T): ProbeEngine<T> {
  return {
    run: async (spec) =>
      ({ ...(measurementOf(type).blank(spec) as object), success: true, error: null }) as ProbeResults[T],
  };
}

/** An engine that ends only when it is aborted, with the reason of the abort. */
export function waitingForAbort<T extends MeasurementType>(): ProbeEngine<T> & { readonly started: string[] } {
  const started: string[] = [];
  return {
    started,
    run: (spec, { signal }) =>
      new Promise((_resolve, reject) => {
        started.push(spec.target);
        signal.addEventListener('abort', () => reject(signal.reason ?? new ProbeFailure('internal', 'no reason')));
      }),
  };
}

/** The spec of a TCP probe, as it comes over the link. */
export function tcpSpec(target = '192.0.2.1:80') {
  return { target, params: { timeout_ms: 1000 } };
}
