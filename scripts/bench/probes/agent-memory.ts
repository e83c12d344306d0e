import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Lab } from '../../lab/lab.js';
import { type Prober, startProber } from '../../lab/prober.js';
import { memoryOfAll, processTree } from '../processes.js';
import { sized } from '../sized.js';
import { equalityRow, type Row } from './comparison.js';
import { progress, runProbes, WARM_UP_PROBES } from './many-probes.js';

const PROGRAM = fileURLToPath(new URL('./agent-measuring.js', import.meta.url));
const READING_EVERY_MS = 1000;
/** A child may look at itself, and another one take its place, milliseconds: the agent is judged at rest. */
const REST_MS = sized(75_000, 500);

/** Types that make TLS handshakes: Node leaks at each (agent/src/net/tls/report.ts), and the agent replaces its child. */
export const leakingTypes: ReadonlySet<ProbeType> = new Set<ProbeType>(['http', 'smtp', 'ssl']);

/** Memory of the agent's measuring processes together, before and after a number of probes. */
export async function compareAgent(type: ProbeType, { lab, probes }: { lab: Lab; probes: number }): Promise<Row[]> {
  const prober = await startProber(lab, { program: PROGRAM });
  const peak = new Peak(prober);
  try {
    const surprises = await runProbes(prober, type, WARM_UP_PROBES);
    const beforeMb = residentMb(prober);
    const fresh = processTree(prober.pid).slice(1).join(' ');
    surprises.push(...(await runProbes(prober, type, probes)));
    await pause(REST_MS);
    const afterMb = residentMb(prober);
    const wasReplaced = processTree(prober.pid).slice(1).join(' ') !== fresh;
    for (const surprise of new Set(surprises)) progress(`${type}: ${surprise}`);
    return rowsOf({ type, beforeMb, afterMb, mostMb: peak.mb, wasReplaced, surprises: surprises.length });
  } finally {
    peak.end();
    await prober.stop();
  }
}

interface Found {
  readonly type: ProbeType;
  readonly beforeMb: number;
  readonly afterMb: number;
  readonly mostMb: number;
  readonly wasReplaced: boolean;
  readonly surprises: number;
}

function rowsOf({ type, beforeMb, afterMb, mostMb, wasReplaced, surprises }: Found): Row[] {
  const replaced = wasReplaced ? 'child replaced' : 'child kept';
  const difference = afterMb - beforeMb;
  return [
    {
      what: `${type}: resident as the agent runs it, MB`,
      ours: `${afterMb.toFixed(1)} (${replaced}; ${mostMb.toFixed(1)} at most)`,
      theirs: beforeMb.toFixed(1),
      ratio: `${difference < 0 ? '' : '+'}${difference.toFixed(1)}`,
      goal: 'within 10 MB',
    },
    equalityRow({ what: `${type}: probes that failed of it`, ours: String(surprises), theirs: '0' }),
  ];
}

/** The most that the measuring processes of a prober held together, while it ran. */
class Peak {
  mb = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(prober: Prober) {
    this.#timer = setInterval(() => {
      this.mb = Math.max(this.mb, residentMb(prober));
    }, READING_EVERY_MS);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** The parent is no measuring process. */
function residentMb({ pid }: Prober): number {
  return memoryOfAll(processTree(pid).slice(1)).rssMb;
}
