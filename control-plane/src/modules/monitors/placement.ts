import { createHash } from 'node:crypto';

// Which nodes check a monitor. Those that have it keep it for as long as they are fit for it; what is missing is chosen by
// weighted rendezvous hashing (Thaler and Ravishankar 1998; weights as by Mosko 2018): every replica finds the same nodes
// without asking, and a node that goes moves nothing but what it had.

/** A node that is fit for a monitor: matches its selection, has its capabilities, may be given work. */
export interface Candidate {
  readonly id: string;
  /** Nodes of one group fail together; a network, as a rule. */
  readonly group: string;
  /** How much more it can take, above 0: twice as much gets twice as many monitors. */
  readonly room: number;
}

interface PlacementInput {
  readonly monitorId: string;
  /** Nodes wanted, 1 and above. */
  readonly count: number;
  readonly candidates: readonly Candidate[];
  /** Ids of the nodes that have it now. */
  readonly current: readonly string[];
}

/** Ids of the nodes that shall check the monitor: `count` of them, or as many as there are. Those of now come first. */
export function placeMonitor({ monitorId, count, candidates, current }: PlacementInput): string[] {
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

/** The first so many, of groups that are not among `taken` as long as there are such; spread is a preference. */
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

/** Best first: by a number that only monitor, node and room decide. */
function rank(monitorId: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates
    .map((candidate) => ({ candidate, cost: -Math.log(fraction(`${monitorId} ${candidate.id}`)) / candidate.room }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ candidate }) => candidate);
}

/** A number above 0 and below 1, evenly spread over texts. */
function fraction(text: string): number {
  return (createHash('sha256').update(text).digest().readUIntBE(0, 6) + 0.5) / 2 ** 48;
}
