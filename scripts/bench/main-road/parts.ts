/** Caller whose requests are measured. */
export type CallerName = 'anonymous' | 'anonymous-quota' | 'key' | 'key-quota';

/** One kind of probe and caller, measured on both roads. */
export interface RoadPart {
  readonly name: string;
  readonly question: string;
  /** Heading of its table. */
  readonly title: string;
  readonly caller: CallerName;
  readonly type: 'http' | 'ping' | 'tcp';
  readonly target: 'target' | 'https';
  readonly nodes: 1 | 3;
  /** True if its probes take from the budget of a target, as those of all public ones do. */
  readonly takesBudget: boolean;
}

const http = { caller: 'anonymous', type: 'http', target: 'target', nodes: 1, takesBudget: false } as const;

/** The one list of parts that take probes along the road; one with more nodes comes last, for agents are only added. */
export const roadParts: readonly RoadPart[] = [
  part('http', 'http probes, anonymous', 'How long does an http probe take from POST to result, beside a bare road?'),
  part('ping', 'ping probes of one packet, anonymous', 'The same for ping; the bare road measures http', {
    type: 'ping',
  }),
  part('tcp', 'tcp probes, anonymous', 'The same for tcp; the bare road measures http', { type: 'tcp' }),
  part('https', 'http probes of an https target, anonymous', 'The same for an https target, on both roads', {
    target: 'https',
  }),
  part('quota', 'http probes, anonymous, with a day quota', 'What does the day quota of node tests cost?', {
    caller: 'anonymous-quota',
  }),
  part('key', 'http probes with an API key', 'What does an API key cost?', { caller: 'key' }),
  part('key-quota', 'http probes with an API key and a day quota', 'What do both cost together?', {
    caller: 'key-quota',
  }),
  part(
    'budget',
    'http probes, anonymous, each of another target with a budget',
    'What does the budget of a public target cost?',
    { takesBudget: true },
  ),
  part(
    'three-nodes',
    'http probes on three nodes each, anonymous',
    'The same with three nodes a request, on both roads',
    { nodes: 3 },
  ),
];

function part(name: string, title: string, question: string, own: Partial<RoadPart> = {}): RoadPart {
  return { ...http, name, title, question, ...own };
}
