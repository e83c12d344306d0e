import type { Actor } from '../../../audit-log/actor.js';
import type { Account } from '../../../http/route.js';

/** Caller and circumstances of an act on a monitor. */
export interface MonitorAct {
  readonly account: Account;
  readonly actor: Actor;
  /** Name of the monitor's group, which is created if it does not exist; used instead of `group_id`. */
  readonly groupName?: string;
  /** True if a new monitor starts paused. */
  readonly isPaused?: true;
}
