import type { Clock } from '@vantage/shared/clock.js';
import type { IngestPressure } from '../../ingest/index.js';
import type { LaneNumbers } from '../records/catch-up.js';
import { planCredits, planShare, TASK_ROWS } from './credit-plan.js';

const INTERVAL_MS = 250;
/**
 * Links that get credits in one turn of the event loop, and the delay before the next ones: ten thousand frames at once
 * take 150 ms.
 */
const GRANTED_AT_ONCE = 500;
const NEXT_TURN_MS = 20;

/** A link as flow control sees it. */
export interface CreditTaker {
  /** Spool of the agent at its last heartbeat: the rows it held unacknowledged. */
  readonly spool: { readonly rows: number };
  /** Sends the agent its credits if they changed and it reads. @returns whether a frame was sent */
  grant(credits: LaneNumbers): boolean;
}

interface FlowControlOptions {
  readonly clock: Clock;
  readonly links: { readonly size: number; all(): Iterable<CreditTaker> };
  readonly pressure: () => IngestPressure;
}

/** Keeps the agents of this replica from sending more than PostgreSQL accepts. Runs while there are links. */
export class FlowControl {
  readonly #options: FlowControlOptions;
  #share = 1;
  #lookedAtMs = 0;
  #cancelTimer: (() => void) | null = null;

  constructor(options: FlowControlOptions) {
    this.#options = options;
  }

  /** Rows that a link may have in flight from its welcome on. */
  get initial(): LaneNumbers {
    return planCredits(this.#share, this.#options.links.size + 1, 1).quiet;
  }

  /** Share of full credit that lane check has, 0..1. */
  get share(): number {
    return this.#share;
  }

  /** Begins to watch, if it does not: there is a link. */
  watch(): void {
    if (this.#cancelTimer !== null) return;
    this.#lookedAtMs = this.#options.clock.monotonicMs();
    this.#schedule(INTERVAL_MS);
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer = this.#options.clock.after(delayMs, () => this.#look(), { unref: true });
  }

  #look(): void {
    const { clock, links, pressure } = this.#options;
    this.#cancelTimer = null;
    const nowMs = clock.monotonicMs();
    this.#share = planShare(this.#share, pressure(), nowMs - this.#lookedAtMs);
    this.#lookedAtMs = nowMs;
    if (links.size > 0) this.#schedule(this.#grantAll() ? INTERVAL_MS : NEXT_TURN_MS);
  }

  /** @returns true if all links have their credits */
  #grantAll(): boolean {
    const links = [...this.#options.links.all()];
    const withBacklog = links.filter(hasBacklog).length;
    const { quiet, busy } = planCredits(this.#share, links.length, withBacklog);
    let granted = 0;
    for (const link of links) {
      if (granted === GRANTED_AT_ONCE) return false;
      if (link.grant(hasBacklog(link) ? busy : quiet)) granted += 1;
    }
    return true;
  }
}

/** True if more than a moment's work waits on the agent. */
function hasBacklog({ spool }: CreditTaker): boolean {
  return spool.rows > TASK_ROWS;
}
