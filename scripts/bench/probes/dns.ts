import { askDig } from '../../lab/dig.js';
import { serviceAddresses } from '../../lab/topology.js';
import { type Row, rowOf, sized } from '../harness.js';
import { type Comparison, delayPath, inTurns, type LabRun } from './comparison.js';

const SAMPLES = sized(20, 2);

/** Duration of a query, compared with dig's. */
export const dns: Comparison = {
  name: 'dns',
  title: 'dns: query times over a path of 20 ms',
  question: "Are query times within 0.5 ms of dig's?",
  peer: 'dig',
  lab: { servers: ['dns'] },
  programs: ['dig'],
  async run(options) {
    await delayPath(options);
    return [await compareTimes('udp', options), await compareTimes('tcp', options)];
  },
};

async function compareTimes(transport: 'udp' | 'tcp', { lab, prober, rounds }: LabRun): Promise<Row> {
  const [name, type, server] = ['www.lab.test', 'A', serviceAddresses('zone').v4] as const;
  const both = await inTurns(
    { rounds, samples: SAMPLES },
    async () => (await prober.probe('dns', name, { record_type: type, server, transport })).query_ms,
    async () => (await askDig(lab, { name, type, server, transport })).queryMs,
  );
  return rowOf(`query by ${transport}, ms`, { ...both, digits: 3, isDifference: true, goal: 'within 0.5 ms' });
}
