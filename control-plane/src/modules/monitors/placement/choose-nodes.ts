import { createHash } from 'node:crypto';

// Choice of the nodes that check a monitor. Nodes that have it keep it while they are fit for it; missing nodes are chosen by
// weighted rendezvous hashing (Thaler and Ravishankar 1998; weights as by Mosko 2018): every replica finds the same nodes
// without communication, and only the monitors of a node that leaves are moved.

/** Node that is fit for a monitor: matches its selection, has its capabilities, may be given work. */
export interface Candidate {
  readonly id: string;
  /** Group of nodes that fail together, usually a network. */
  readonly group: string;
  /** Spare capacity, above 0: a node with twice as much gets twice as many monitors. */
  readonly room: number;
}

interface PlacementInput {
  readonly monitorId: string;
  /** Nodes wanted, 1 and above. */
  readonly count: number;
  readonly candidates: readonly Candidate[];
  /** Ids of the nodes that have the monitor now. */
  readonly current: readonly string[];
}

/** Ids of the nodes that should check the monitor: `count` of them, or all if there are fewer. Nodes that have it now come first. */
export function chooseNodes({ monitorId, count, candidates, current }: PlacementInput): string[] {
  const ranked = rank(monitorId, candidates);
  const kept = takeSpread(
    ranked.filter(({ id }) => current.includes(id)),
    count,
    new Set(),
  );
  const groups = new Set(kept.map(({ group }) => group));
  const rest = ranked.filter(({ id }) => !current.includes(id));
  return [...kept, ...takeSpread(rest, count - kept.length, groups)].map(({ id }) => id);
}

/** First nodes up to a number, preferably of groups that are not in `taken`. */
function takeSpread(ranked: readonly Candidate[], count: number, taken: ReadonlySet<string>): Candidate[] {
  const groups = new Set(taken);
  const [fresh, more]: [Candidate[], Candidate[]] = [[], []];
  for (const candidate of ranked) {
    if (groups.has(candidate.group)) more.push(candidate);
    else fresh.push(candidate);
    groups.add(candidate.group);
  }
  return [...fresh, ...more].slice(0, Math.max(0, count));
}

/** Nodes, best first, by a number that depends only on monitor, node and spare capacity. */
function rank(monitorId: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates
    .map((candidate) => ({ candidate, cost: -Math.log(fraction(`${monitorId} ${candidate.id}`)) / candidate.room }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ candidate }) => candidate);
}

/** Hash of a text as a number above 0 and below 1, evenly distributed. */
function fraction(text: string): number {
  return (createHash('sha256').update(text).digest().readUIntBE(0, 6) + 0.5) / 2 ** 48;
}
