import { type LabAgent, startLabAgent } from '../../lab/lab-agent.js';
import { serviceAddresses } from '../../lab/topology.js';
import { ownCpuSecondsOf } from '../processes.js';
import { quantile } from '../statistics.js';
import { type PairedType, type Pairs, pairedTypes } from './busy-pairs.js';
import { type Comparison, type ComparisonOptions, differenceRow, type Row, ratioRow } from './comparison.js';

const IN_FLIGHT = 50;
/**
 * Page that takes as long as a page of the internet; the comparisons of ping and http have 50 requests without a
 * pause.
 */
const SLOW_PAGE = `http://${serviceAddresses('web').v4}:8080/delay/200`;
const REPLAYED_ROWS = 500;

const states = {
  quiet: 'quiet',
  busy: 'link and spool busy',
  inFlight: `${IN_FLIGHT} http in flight`,
} as const;
type State = keyof typeof states;
const stateNames = Object.keys(states) as State[];

/** Work done while the agent was kept busy. */
interface Business {
  cpuSeconds: number;
  seconds: number;
  rows: number;
}

/**
 * A whole agent with a control plane that has results sent again and again, so that the main process reads its spool,
 * writes to it and sends as fast as it can, while the child measures.
 */
export const busy: Comparison = {
  name: 'busy',
  title: 'busy: the same probes of one agent quiet, with link and spool busy, and with others in flight; 20 ms',
  question: 'How far are times off while link, spool and other probes are busy?',
  peer: 'ping, curl or dig at the same moments',
  lab: { servers: ['web', 'dns'] },
  programs: ['ping', 'dig'],
  async run({ lab, prober, rounds }) {
    await prober.stop();
    await lab.setLink(2, 'both', { delayMs: 10 });
    const agent = await startLabAgent(lab);
    const business: Business = { cpuSeconds: 0, seconds: 0, rows: 0 };
    const rows: Row[] = [];
    for (const type of pairedTypes) rows.push(...(await rowsOf(type, { lab, agent, rounds, business })));
    await agent.stop();
    return [...rows, ...businessRows(business)];
  },
};

interface Setting extends Pick<ComparisonOptions, 'lab' | 'rounds'> {
  readonly agent: LabAgent;
  readonly business: Business;
}

async function rowsOf(type: PairedType, { lab, agent, rounds, business }: Setting): Promise<Row[]> {
  const found: Record<State, Pairs[]> = { quiet: [], busy: [], inFlight: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const state of stateNames) {
      found[state].push(await inState(state, { agent, business }, () => type.measure(lab, agent)));
    }
  }
  const medians = stateNames.map((state) => medianRow(type, states[state], found[state]));
  const edges = (['busy', 'inFlight'] as const).map((state) => edgeRow(type, states[state], found[state], found.quiet));
  return [...medians, ...edges, unmarkedRow(type, found)];
}

async function inState(
  state: State,
  { agent, business }: Pick<Setting, 'agent' | 'business'>,
  measure: () => Promise<Pairs>,
): Promise<Pairs> {
  if (state === 'inFlight') return besideOthers(agent, measure);
  if (state === 'quiet') return measure();
  const before = { cpuSeconds: ownCpuSecondsOf(agent.pid), ms: performance.now() };
  const end = agent.keepBusy(REPLAYED_ROWS);
  const pairs = await measure();
  business.cpuSeconds += ownCpuSecondsOf(agent.pid) - before.cpuSeconds;
  business.seconds += (performance.now() - before.ms) / 1000;
  business.rows += await end();
  return pairs;
}

async function besideOthers(agent: LabAgent, measure: () => Promise<Pairs>): Promise<Pairs> {
  let isOver = false;
  const loop = async () => {
    while (!isOver) await agent.probe('http', SLOW_PAGE);
  };
  const loops = Array.from({ length: IN_FLIGHT }, loop);
  try {
    return await measure();
  } finally {
    isOver = true;
    await Promise.all(loops);
  }
}

function medianRow({ name, peer }: PairedType, state: string, rounds: readonly Pairs[]): Row {
  const sides = {
    what: `${name}, ms, ${state} (${peer})`,
    ours: rounds.map(({ ours }) => quantile(ours, 0.5)),
    theirs: rounds.map(({ theirs }) => quantile(theirs, 0.5)),
    digits: 3,
  };
  if (name === 'ping') return ratioRow({ ...sides, goal: 'within 1.02' });
  return differenceRow({ ...sides, goal: 'within 1 ms or 2 %' });
}

/**
 * Distance between the two at the edge of the distribution: in this state, and in the other column when the agent is
 * quiet.
 */
function edgeRow({ name, peer }: PairedType, state: string, ours: readonly Pairs[], theirs: readonly Pairs[]): Row {
  const what = `${name}, p95 of the difference to ${peer}, ms, ${state} (quiet)`;
  const edges = (rounds: readonly Pairs[]) => rounds.map((pairs) => quantile(differences(pairs), 0.95));
  // without a goal: on two cores, shared with the tools and the links, the figure of a quiet agent varies tenfold
  // between rounds
  return differenceRow({ what, ours: edges(ours), theirs: edges(theirs), digits: 3, goal: '' });
}

function differences({ ours, theirs }: Pairs): number[] {
  return ours.map((ms, index) => Math.abs(ms - (theirs[index] ?? Number.NaN)));
}

/**
 * Value of the disturbed mark: our times without one, compared with all of the other tool's, in the two busy states.
 */
function unmarkedRow({ name, peer }: PairedType, { quiet, busy: replaying, inFlight }: Record<State, Pairs[]>): Row {
  const rest = [...replaying, ...inFlight];
  const unmarked = rest.flatMap(({ ours, marks }) => ours.filter((_, index) => marks[index] === false));
  const all = rest.flatMap(({ theirs }) => theirs);
  const edges = {
    ours: farFrom(
      quiet.flatMap(({ ours }) => ours),
      unmarked,
    ),
    theirs: farFrom(
      quiet.flatMap(({ theirs }) => theirs),
      all,
    ),
  };
  return {
    what: `${name}, p95 from the quiet median, ms: busy or in flight, ours not marked (all of ${peer})`,
    ours: `${edges.ours.toFixed(3)} (${unmarked.length})`,
    theirs: `${edges.theirs.toFixed(3)} (${all.length})`,
    ratio: (edges.ours - edges.theirs).toFixed(3),
    goal: 'no more than theirs',
  };
}

function farFrom(quiet: readonly number[], values: readonly number[]): number {
  const median = quantile(quiet, 0.5);
  return quantile(
    values.map((ms) => Math.abs(ms - median)),
    0.95,
  );
}

function businessRows({ cpuSeconds, seconds, rows }: Business): Row[] {
  const nothing = { theirs: '', ratio: '', goal: '' };
  return [
    {
      what: 'while busy: CPU of the main process, % of a core',
      ours: ((cpuSeconds / seconds) * 100).toFixed(0),
      ...nothing,
    },
    { what: 'while busy: results read and sent again per second', ours: (rows / seconds).toFixed(0), ...nothing },
  ];
}
