import type { LinkEnd, LinkEndKind } from './link-end.js';

/** The first try after a link that worked comes within this time. */
const FIRST_TRY_MS = 500;
const BASE_MS = 1000;
const MAX_MS = 60_000;
/** Where only a person can mend it. */
const MAX_REFUSED_MS = 600_000;
/** A link open this long worked: the tries are counted from the beginning again. */
const STABLE_MS = 30_000;
/** The control plane may ask to stay away this long; a timer of 25 days and more would fire at once. */
const MAX_ASKED_MS = 3_600_000;
/** A second agent with this identity must not be fought over every half second. */
const REPLACED_MS = 5000;

const endsForGood = new Set<LinkEndKind>(['banned', 'upgrade_required']);
const needsPerson = new Set<LinkEndKind>(['unauthenticated', 'wrong_server', 'cloned']);
const invitesBack = new Set<LinkEndKind>(['draining', 'new_epoch']);

export type NextTry =
  /** Stay down: only a person can change it. */
  | { readonly kind: 'give-up' }
  /** Dial again after `delayMs`; `failures` goes into the next decision. */
  | { readonly kind: 'dial'; readonly delayMs: number; readonly failures: number };

/**
 * When to dial again: within half a second after a link that worked, then exponential with full jitter up to a minute
 * (ten where the control plane refuses this node), never before the control plane said. `random`: 0 <= r < 1.
 */
export function planReconnect(end: LinkEnd, failures: number, random: number): NextTry {
  if (endsForGood.has(end.kind)) return { kind: 'give-up' };
  const before = end.openMs >= STABLE_MS || invitesBack.has(end.kind) ? 0 : failures;
  const ceilingMs = before === 0 && !needsPerson.has(end.kind) ? FIRST_TRY_MS : backoffCeiling(end.kind, before);
  const askedMs = Math.min(end.retryAfterMs, MAX_ASKED_MS);
  const earliestMs = end.kind === 'replaced' ? Math.max(REPLACED_MS, askedMs) : askedMs;
  return { kind: 'dial', delayMs: Math.round(earliestMs + random * ceilingMs), failures: before + 1 };
}

function backoffCeiling(kind: LinkEndKind, failures: number): number {
  const maxMs = needsPerson.has(kind) ? MAX_REFUSED_MS : MAX_MS;
  return Math.min(maxMs, BASE_MS * 2 ** Math.min(failures, 20));
}
