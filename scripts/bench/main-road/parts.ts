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
  {
    ...http,
    name: 'http',
    title: 'http probes, anonymous',
    question: 'How long does an http probe take from POST to result, beside a bare road?',
  },
  {
    ...http,
    name: 'ping',
    title: 'ping probes of one packet, anonymous',
    type: 'ping',
    question: 'The same for ping; the bare road measures http',
  },
  {
    ...http,
    name: 'tcp',
    title: 'tcp probes, anonymous',
    type: 'tcp',
    question: 'The same for tcp; the bare road measures http',
  },
  {
    ...http,
    name: 'https',
    title: 'http probes of an https target, anonymous',
    target: 'https',
    question: 'The same for an https target, on both roads',
  },
  {
    ...http,
    name: 'quota',
    title: 'http probes, anonymous, with a day quota',
    caller: 'anonymous-quota',
    question: 'What does the day quota of node tests cost?',
  },
  {
    ...http,
    name: 'key',
    title: 'http probes with an API key',
    caller: 'key',
    question: 'What does an API key cost?',
  },
  {
    ...http,
    name: 'key-quota',
    title: 'http probes with an API key and a day quota',
    caller: 'key-quota',
    question: 'What do both cost together?',
  },
  {
    ...http,
    name: 'budget',
    title: 'http probes, anonymous, each of another target with a budget',
    takesBudget: true,
    question: 'What does the budget of a public target cost?',
  },
  {
    ...http,
    name: 'three-nodes',
    title: 'http probes on three nodes each, anonymous',
    nodes: 3,
    question: 'The same with three nodes a request, on both roads',
  },
];
