import { acceptedIsKnown } from './accepted-is-known.js';
import { acknowledgedIsStored } from './acknowledged-is-stored.js';
import { alertsToldOnce } from './alerts-told-once.js';
import { badPeer } from './bad-peer.js';
import { banHolds } from './ban-holds.js';
import { bounded } from './bounded.js';
import { clockError } from './clock-error.js';
import { healed } from './healed.js';
import type { History } from './history.js';
import type { Invariant } from './invariant.js';
import { noCrash } from './no-crash.js';
import { noFalseEvents } from './no-false-events.js';
import { readIsFinal } from './read-is-final.js';
import { refusedTargets } from './refused-targets.js';
import { secretsStay } from './secrets-stay.js';
import { slotsToldOnce } from './slots-told-once.js';
import { storedOnce } from './stored-once.js';
import { tokenUsedOnce } from './token-used-once.js';

/** Invariants checked for every run. A new one is a file and a line here. */
export const invariants: readonly Invariant[] = [
  acknowledgedIsStored,
  acceptedIsKnown,
  readIsFinal,
  storedOnce,
  slotsToldOnce,
  noFalseEvents,
  alertsToldOnce,
  banHolds,
  tokenUsedOnce,
  bounded,
  clockError,
  healed,
  noCrash,
  badPeer,
  refusedTargets,
  secretsStay,
];

/** Violation of an invariant. */
export interface Breach {
  readonly id: string;
  readonly message: string;
}

/** Checks a whole run; empty when there is no breach. */
export function findBreaches(history: History): Breach[] {
  return invariants.flatMap(({ id, check }) => check(history).map((message) => ({ id, message })));
}
