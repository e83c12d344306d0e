import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import { ProbeSchemas } from 'vantage-agent/measuring/probe-schemas.js';
import { engines } from 'vantage-agent/probes/index.js';
import type { Prober } from '../../lab/prober.js';
import { serviceAddresses } from '../../lab/topology.js';
import { type Row, sized } from '../harness.js';
import { cpuSecondsOf } from '../processes.js';
import { msOf } from '../statistics.js';
import { type Comparison, delayPath } from './comparison.js';

/**
 * Number of probes in flight. With more, the child would need a core for itself, and probes that wait for one would
 * look cheap; with fewer, the timer that watches the loop, one for all, would make probes that wait look expensive.
 */
const IN_FLIGHT = 10;
const WINDOW_MS = sized(4000, 300);
const { v4: web } = serviceAddresses('web');

/** A probe whose cost is measured. */
interface Case {
  readonly what: string;
  readonly type: ProbeType;
  readonly target: string;
  readonly params?: object;
}

/** Cases; of a type that waits, the fastest next to the usual. The first one defines the unit. */
const allCases: readonly Case[] = [
  { what: 'http', type: 'http', target: `http://${web}/` },
  { what: 'https', type: 'http', target: 'https://www.lab.test/' },
  { what: 'tcp', type: 'tcp', target: `${web}:80` },
  { what: 'dns', type: 'dns', target: 'www.lab.test' },
  { what: 'ping, four packets', type: 'ping', target: web },
  { what: 'ping, fifty packets in ten seconds', type: 'ping', target: web, params: { count: 50, interval_ms: 200 } },
  { what: 'mtr, ten cycles', type: 'mtr', target: web },
  { what: 'mtr, ten cycles in two seconds', type: 'mtr', target: web, params: { interval_ms: 200 } },
  { what: 'traceroute', type: 'traceroute', target: web },
  { what: 'traceroute of one query', type: 'traceroute', target: web, params: { queries: 1, reverse_dns: false } },
  { what: 'ntp', type: 'ntp', target: serviceAddresses('time').v4 },
  { what: 'smtp with STARTTLS', type: 'smtp', target: serviceAddresses('mail').v4 },
  { what: 'ssl', type: 'ssl', target: 'www.lab.test' },
];
const cases = sized(allCases, allCases.slice(0, 4));

/** Share of a core that a probe in flight takes, compared with the units that its engine declares (`load`). */
export const units: Comparison = {
  name: 'units',
  title: 'units: CPU of the measuring child for each probe in flight, over a path of 20 ms',
  question: 'How many units of a node is a probe of each type: the `units` of its definition?',
  peer: 'units its engine declares',
  method: () => `${IN_FLIGHT} in flight for ${WINDOW_MS / 1000} s`,
  lab: { servers: ['web', 'dns', 'mail', 'time'] },
  programs: [],
  async run({ lab, prober }) {
    await delayPath({ lab });
    const rows: Row[] = [];
    let unit = Number.NaN;
    for (const one of cases) {
      const { cpuMs, inFlightMs } = await costOf(one, prober);
      const share = cpuMs / inFlightMs;
      if (one === cases[0]) unit = share;
      rows.push({
        what: one.what,
        ours: `${cpuMs.toFixed(2)} ms of CPU in ${inFlightMs.toFixed(0)} ms: ${(share * 100).toFixed(2)} % of a core`,
        baseline: String(declaredUnits(one.type, { target: one.target, params: { ...one.params } })),
        ratio: `${(share / unit).toFixed(2)} units`,
        goal: '',
      });
    }
    return rows;
  },
};

/** CPU of one probe, and how long it was in flight. */
async function costOf({ type, target, params }: Case, prober: Prober) {
  const probe = () => prober.probe(type, target, { ...params });
  await probe();
  const before = cpuSecondsOf(prober.pid);
  const endsAt = performance.now() + WINDOW_MS;
  let [count, inFlightMs] = [0, 0];
  const loop = async () => {
    do {
      inFlightMs += await msOf(probe);
      count += 1;
    } while (performance.now() < endsAt);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop));
  return { cpuMs: ((cpuSecondsOf(prober.pid) - before) / count) * 1000, inFlightMs: inFlightMs / count };
}

function declaredUnits<T extends ProbeType>(type: T, spec: unknown): number {
  return engines[type].load?.units(new ProbeSchemas().parseSpec(type, spec)) ?? 1;
}
