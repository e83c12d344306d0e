import type { Actor } from '../../../audit-log/actor.js';
import type { Account } from '../../../http/route.js';

/** Caller and circumstances of an act on a channel. */
export interface ChannelAct {
  readonly account: Account;
  readonly actor: Actor;
}
