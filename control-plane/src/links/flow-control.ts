import type { Clock } from '@vantage/shared/clock.js';
import type { IngestPressure } from '../ingest/index.js';
import type { LaneNumbers } from './catch-up.js';
import { planCredits, planShare, TASK_ROWS } from './credit-plan.js';

const INTERVAL_MS = 250;
/** Links told in one turn of the event loop, and how soon the next are: ten thousand frames at once take 150 ms. */
const TOLD_AT_ONCE = 500;
const NEXT_TURN_MS = 20;

/** A link as flow control sees it. */
export interface CreditTaker {
  /** What the agent held unacknowledged at its last heartbeat. */
  readonly spool: { readonly rows: number };
  /** Tells the agent its credits if they changed, and it reads. @returns whether a frame was sent */
  grant(credits: LaneNumbers): boolean;
}

interface FlowControlOptions {
  readonly clock: Clock;
  readonly links: { readonly size: number; all(): Iterable<CreditTaker> };
  readonly pressure: () => IngestPressure;
}

/** Keeps the agents of this replica from sending more than PostgreSQL takes. Looks while there are links. */
export class FlowControl {
  readonly #options: FlowControlOptions;
  #share = 1;
  #lookedAtMs = 0;
  #cancelTimer: (() => void) | null = null;

  constructor(options: FlowControlOptions) {
    this.#options = options;
  }

  /** What a link may have in flight from its welcome on. */
  get initial(): LaneNumbers {
    return planCredits(this.#share, this.#options.links.size + 1, 1).quiet;
  }

  /** Share of full credit that lane check has, 0..1. */
  get share(): number {
    return this.#share;
  }

  /** There is a link to watch. */
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
    if (links.size > 0) this.#schedule(this.#tell() ? INTERVAL_MS : NEXT_TURN_MS);
  }

  /** @returns whether all have been told */
  #tell(): boolean {
    const links = [...this.#options.links.all()];
    const withBacklog = links.filter(hasBacklog).length;
    const { quiet, busy } = planCredits(this.#share, links.length, withBacklog);
    let told = 0;
    for (const link of links) {
      if (told === TOLD_AT_ONCE) return false;
      if (link.grant(hasBacklog(link) ? busy : quiet)) told += 1;
    }
    return true;
  }
}

/** More than a moment's work waits on the agent. */
function hasBacklog({ spool }: CreditTaker): boolean {
  return spool.rows > TASK_ROWS;
}
