import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Prober } from '../../lab/prober.js';
import { sized } from '../sized.js';
import { type MemoryTarget, memoryTargets } from './memory-targets.js';

/** Number of probes in flight in a comparison of memory. */
export const IN_FLIGHT = 50;
/** Number of probes after which caches, code and the allocator's arenas no longer grow. */
export const WARM_UP_PROBES = sized(1000, 50);

/** Runs `count` probes, of the type's targets in turn. @returns a line for each probe with an unexpected outcome */
export async function runProbes(prober: Prober, type: ProbeType, count: number): Promise<string[]> {
  const targets: readonly MemoryTarget<ProbeType>[] = memoryTargets[type];
  const surprises: string[] = [];
  let begun = 0;
  const loop = async () => {
    while (begun < count) {
      const { target, params, fails = false } = targets[begun % targets.length] as MemoryTarget<ProbeType>;
      begun += 1;
      if (begun % 1000 === 0) progress(`${type}: ${begun} of ${count}`);
      const { success, error } = await prober.probe(type, target, params);
      if (success === fails) surprises.push(`${target} ${JSON.stringify(params)}: ${error?.code} ${error?.message}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop));
  return surprises;
}

/** A line for who waits. */
export function progress(line: string): void {
  process.stderr.write(`  ${line}\n`);
}
