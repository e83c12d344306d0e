import { definitionOf, type ProbeSpecs, type ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Test } from 'tap';
import { aSpec } from './probe-context.js';

/** Something on loopback that a probe is shown with. */
export interface ReportCase {
  readonly target: string;
  readonly params?: readonly string[];
  /** Lines of its report, in order. */
  readonly lines: readonly RegExp[];
}

/** How one type is tried, in a file of its own: `agent/test/trials/TYPE.ts`. */
export interface ProbeTrial<T extends ProbeType = ProbeType> {
  /** Aims at a literal that the policy refuses; absent: the example of the type at such an address. */
  readonly refused?: ProbeSpecs[T];
  /** Each would send packets to what site.example.com resolves to, as target, server or resolver; absent: the example. */
  readonly contacts?: readonly ProbeSpecs[T][];
  /** Aims at something on loopback that answers. */
  readonly answered: (t: Test) => Promise<ProbeSpecs[T]>;
  /** Aims at a peer on loopback that takes what it is sent and never answers; raw packets go nowhere anyway. */
  readonly silent: (t: Test) => Promise<ProbeSpecs[T]>;
  /** A server on loopback, and the report of a probe of it. */
  readonly report: (t: Test) => Promise<ReportCase>;
}

/** A trial with what follows from the definition of its type. */
export interface FullTrial<T extends ProbeType> extends Required<ProbeTrial<T>> {
  /** Aims at a name, so that its first step is to ask DNS. */
  readonly named: ProbeSpecs[T];
}

/** The trial of a type. @throws Error when agent/test/trials has no file of it */
export async function trialOf<T extends ProbeType>(type: T): Promise<FullTrial<T>> {
  const { trial }: { trial: ProbeTrial<T> } = await import(new URL(`../trials/${type}.js`, import.meta.url).href);
  const named = exampleAt(type, 'site.example.com');
  return { refused: exampleAt(type, '10.0.0.1'), contacts: [named], ...trial, named };
}

/** The example of a type with another host. */
function exampleAt<T extends ProbeType>(type: T, host: string): ProbeSpecs[T] {
  return aSpec(type, definitionOf(type).exampleTarget.replace(/[a-z0-9.-]+\.[a-z]+(?=[:/]|$)/, host));
}
