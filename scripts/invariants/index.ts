import { acknowledgedIsStored } from './acknowledged-is-stored.js';
import { alertsNotifiedOnce } from './alerts-notified-once.js';
import { bounded } from './bounded.js';
import type { History } from './history.js';
import type { Invariant } from './invariant.js';
import {
  acceptedIsKnown,
  banHolds,
  clockError,
  healed,
  noCrash,
  noFalseEvents,
  readIsFinal,
  refusedTargets,
  secretsStay,
  storedOnce,
  tokenUsedOnce,
} from './simple-invariants.js';
import { slotsReportedOnce } from './slots-reported-once.js';

/** Invariants checked for every run. */
export const invariants: readonly Invariant[] = [
  acknowledgedIsStored,
  acceptedIsKnown,
  readIsFinal,
  storedOnce,
  slotsReportedOnce,
  noFalseEvents,
  alertsNotifiedOnce,
  banHolds,
  tokenUsedOnce,
  bounded,
  clockError,
  healed,
  noCrash,
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
