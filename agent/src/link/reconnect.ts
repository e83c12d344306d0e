import type { LinkEnd, LinkEndKind } from './link-end.js';

/** The first try after a link that worked comes within this time. */
const FIRST_TRY_MS = 500;
const BASE_MS = 1000;
const MAX_MS = 30_000;
/** Waits this long need no outage as long: agents that all lost one control plane come back spread over it. */
const SHORT_MS = 2000;
/** Longest delay where only a person can repair the cause. */
const MAX_REFUSED_MS = 600_000;
/** A link open this long worked: the tries are counted from the beginning again. */
const STABLE_MS = 30_000;
/** Each second of a link that opened and broke takes one failure back... */
const FORGIVEN_MS = 1000;
/** ...and leaves this many at most, 8 s: who welcomed the agent works, and spreads a storm itself by its accept rate. */
const MAX_AFTER_OPEN = 3;
/** The control plane may ask to stay away this long; a timer of 25 days and more would fire at once. */
const MAX_ASKED_MS = 3_600_000;
/** A second agent with this identity must not be fought over every half second. */
const REPLACED_MS = 5000;

/** Ends after which this agent dials no more. */
export const finalEnds = ['banned', 'deleted', 'upgrade_required'] as const satisfies readonly LinkEndKind[];
export type FinalEnd = (typeof finalEnds)[number];
const needsPerson = new Set<LinkEndKind>(['unauthenticated', 'wrong_server', 'cloned', 'no_common_version']);
const invitesBack = new Set<LinkEndKind>(['draining', 'new_epoch']);
/** The other side, or the network between, went away: nothing that this agent said or sent was the cause. */
const wentAway = new Set<LinkEndKind>(['lost', 'silent']);

export type NextTry =
  /** Stay down: only a person can change it. */
  | { readonly kind: 'give-up'; readonly end: FinalEnd }
  /** Dial again after `delayMs`; `failures` goes into the next decision. */
  | { readonly kind: 'dial'; readonly delayMs: number; readonly failures: number };

/** Inputs of a decision in addition to how the link ended. */
export interface Tries {
  /** Failures in a row so far. */
  readonly failures: number;
  /** Milliseconds since the last link of this agent was open; since its process began where none was. */
  readonly awayMs: number;
  /** True if another control URL has not been tried: then there is no delay. */
  readonly hasOther: boolean;
  /** 0 <= r < 1. */
  readonly random: number;
}

/**
 * Time of the next dial: within half a second after a link that worked, then exponential with full jitter up to half
 * a minute (ten minutes where the control plane refuses this node), never before the time that the control plane
 * requested, and then hardly later. The delay is no longer than the time for which the control plane has been
 * unreachable: otherwise a few early tries in a row, which full jitter produces, would keep an agent from a control
 * plane that only restarted until its work has been given up there.
 */
export function planReconnect(end: LinkEnd, { failures, awayMs, hasOther, random }: Tries): NextTry {
  const final = finalEnds.find((kind) => kind === end.kind);
  if (final !== undefined) return { kind: 'give-up', end: final };
  const before = failuresLeft(end, failures);
  const isFirst = (before === 0 || (hasOther && end.openMs === 0)) && !needsPerson.has(end.kind);
  const patienceMs = end.kind === 'unreachable' ? Math.max(SHORT_MS, awayMs) : Number.POSITIVE_INFINITY;
  const ceilingMs = isFirst ? FIRST_TRY_MS : Math.min(patienceMs, backoffCeiling(end.kind, before));
  const askedMs = Math.min(end.retryAfterMs, MAX_ASKED_MS);
  const earliestMs = end.kind === 'replaced' ? Math.max(REPLACED_MS, askedMs) : askedMs;
  // a peer that states a delay has already spread the delays: a long one in addition would only keep the node offline
  const spreadMs = askedMs > 0 ? Math.min(ceilingMs, Math.max(askedMs, BASE_MS)) : ceilingMs;
  const counted = hasOther && end.openMs === 0 ? before : before + 1;
  return { kind: 'dial', delayMs: Math.round(earliestMs + random * spreadMs), failures: counted };
}

function failuresLeft(end: LinkEnd, failures: number): number {
  if (end.openMs >= STABLE_MS || invitesBack.has(end.kind)) return 0;
  if (end.openMs === 0 || !wentAway.has(end.kind)) return failures;
  return Math.min(MAX_AFTER_OPEN, Math.max(0, failures - Math.floor(end.openMs / FORGIVEN_MS)));
}

function backoffCeiling(kind: LinkEndKind, failures: number): number {
  const maxMs = needsPerson.has(kind) ? MAX_REFUSED_MS : MAX_MS;
  return Math.min(maxMs, BASE_MS * 2 ** Math.min(failures, 20));
}
