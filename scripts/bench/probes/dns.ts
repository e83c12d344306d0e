import { askDig, dnsQuestions, recordLines } from '../../lab/dig.js';
import { serviceAddresses } from '../../lab/topology.js';
import { type Row, rowOf, sized } from '../harness.js';
import { type Comparison, delayPath, inTurns, type LabRun } from './comparison.js';

const SAMPLES = sized(20, 2);

/** Responses of every type, and the duration of a query, compared with dig's. */
export const dns: Comparison = {
  name: 'dns',
  title: 'dns: responses of every type, and query times over a path of 20 ms',
  question: "Are responses dig's, and query times within 0.5 ms of it?",
  peer: 'dig',
  lab: { servers: ['dns'] },
  programs: ['dig'],
  async run(options) {
    const responses = await compareResponses(options);
    await delayPath(options);
    return [responses, await compareTimes('udp', options), await compareTimes('tcp', options)];
  },
};

async function compareResponses({ lab, prober }: LabRun): Promise<Row> {
  let equal = 0;
  for (const question of dnsQuestions) {
    const { name, type, server, dnssec = false, transport = 'udp' } = question;
    const digs = await askDig(lab, question);
    const ours = await prober.probe('dns', name, { record_type: type, server, dnssec, transport });
    if (ours.rcode === digs.rcode && recordLines(ours).join('\n') === digs.records.join('\n')) equal += 1;
  }
  const ratio = (equal / dnsQuestions.length).toFixed(3);
  const what = 'responses equal in code and every record';
  return { what, ours: String(equal), baseline: String(dnsQuestions.length), ratio, goal: '1' };
}

async function compareTimes(transport: 'udp' | 'tcp', { lab, prober, rounds }: LabRun): Promise<Row> {
  const [name, type, server] = ['www.lab.test', 'A', serviceAddresses('zone').v4] as const;
  const both = await inTurns(
    { rounds, samples: SAMPLES },
    async () => (await prober.probe('dns', name, { record_type: type, server, transport })).query_ms,
    async () => (await askDig(lab, { name, type, server, transport })).queryMs,
  );
  return rowOf(`query by ${transport}, ms`, { ...both, digits: 3, isDifference: true, goal: 'within 0.5 ms' });
}
