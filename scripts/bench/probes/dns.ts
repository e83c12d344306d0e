import { askDig, type DnsQuestion, dnsQuestions, recordLines } from '../../lab/dig.js';
import { serviceAddresses } from '../../lab/topology.js';
import { sized } from '../sized.js';
import { quantile } from '../statistics.js';
import { type Comparison, type ComparisonOptions, differenceRow, type Row } from './comparison.js';

const SAMPLES = sized(20, 2);

/** Answers of every type, and how long a query takes, beside dig's. */
export const dns: Comparison = {
  name: 'dns',
  title: 'dns: answers of every type, and query times over a path of 20 ms',
  question: "Are answers dig's, and query times within 0.5 ms of it?",
  peer: 'dig',
  lab: { servers: ['dns'] },
  programs: ['dig'],
  async run(options) {
    const answers = await compareAnswers(options);
    await options.lab.setLink(2, 'both', { delayMs: 10 });
    const server = serviceAddresses('zone').v4;
    const question = { name: 'www.lab.test', type: 'A', server } as const;
    return [
      answers,
      await compareTimes('query by udp, ms', question, options),
      await compareTimes('query by tcp, ms', { ...question, transport: 'tcp' }, options),
    ];
  },
};

async function compareAnswers({ lab, prober }: ComparisonOptions): Promise<Row> {
  let equal = 0;
  for (const question of dnsQuestions) {
    const { name, type, server, dnssec = false, transport = 'udp' } = question;
    const digs = await askDig(lab, question);
    const ours = await prober.probe('dns', name, { record_type: type, server, dnssec, transport });
    if (ours.rcode === digs.rcode && recordLines(ours).join('\n') === digs.records.join('\n')) equal += 1;
  }
  const total = String(dnsQuestions.length);
  const what = 'answers equal in code and every record';
  return { what, ours: String(equal), theirs: total, ratio: (equal / dnsQuestions.length).toFixed(3), goal: '1' };
}

async function compareTimes(
  what: string,
  question: DnsQuestion,
  { lab, prober, rounds }: ComparisonOptions,
): Promise<Row> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const { name, type: record_type, server, transport = 'udp' } = question;
  for (let round = 0; round < rounds; round += 1) {
    const samples = { ours: [] as number[], theirs: [] as number[] };
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const { query_ms: queryMs } = await prober.probe('dns', name, { record_type, server, transport });
      const { queryMs: digMs } = await askDig(lab, question);
      if (queryMs === null || digMs === null) throw new Error('the zone server did not answer');
      samples.ours.push(queryMs);
      samples.theirs.push(digMs);
    }
    ours.push(quantile(samples.ours, 0.5));
    theirs.push(quantile(samples.theirs, 0.5));
  }
  return differenceRow({ what, ours, theirs, digits: 3, goal: 'within 0.5 ms' });
}
