import type { Clock } from '@vantage/shared/clock.js';
import type { KnownMonitorRow, LiveReading } from '../monitors/index.js';
import { frameOf } from './frames.js';
import type { OpenStream } from './open-stream.js';

/** Age of checks that are still sent: nodes deliver them late. */
const CHECKS_MS = 120_000;

/** State of monitors, and checks of those that are watched: read for all streams together. */
export class Live {
  /** When each state that was sent had changed. */
  readonly #states = new Map<string, Date>();
  /** Due times of the checks that were sent, by their ids. */
  readonly #checks = new Map<string, number>();

  constructor(private readonly options: { readonly live: LiveReading; readonly clock: Clock }) {}

  /** Sends what has changed since an instant, by the clock of the database, and was not sent yet. */
  async send(open: ReadonlySet<OpenStream>, since: Date): Promise<void> {
    await this.#sendStates(
      [...open].filter(({ topics }) => topics.includes('monitors')),
      since,
    );
    await this.#sendChecks([...open].filter(({ watched }) => watched.length > 0));
  }

  async #sendStates(open: readonly OpenStream[], since: Date): Promise<void> {
    for (const [id, at] of this.#states) if (at < since) this.#states.delete(id);
    if (open.length === 0) return;
    const ownerIds = [...new Set(open.map(({ account }) => account.owner.id))];
    for (const state of await this.options.live.states(ownerIds, since)) {
      const sent = this.#states.get(state.item.id);
      if (sent !== undefined && sent >= state.at) continue;
      this.#states.set(state.item.id, state.at);
      for (const { account, stream } of open)
        if (account.owner.id === state.ownerId && (state.isTest || !account.owner.isTest))
          stream.offerState(state.resource, [state.item]);
    }
  }

  async #sendChecks(open: readonly OpenStream[]): Promise<void> {
    const sinceMs = this.options.clock.now() - CHECKS_MS;
    for (const [id, atMs] of this.#checks) if (atMs < sinceMs) this.#checks.delete(id);
    if (open.length === 0) return;
    const watched = new Map<string, KnownMonitorRow>();
    for (const own of open) for (const monitor of own.watched) watched.set(monitor.id, monitor);
    for (const check of await this.options.live.checks([...watched.values()], sinceMs)) {
      if (this.#checks.has(check.id)) continue;
      this.#checks.set(check.id, Date.parse(check.started_at));
      const frame = frameOf({ event: 'checks', data: { items: [check] } });
      for (const { stream, watched: own } of open)
        if (own.some(({ id }) => id === check.monitor_id)) stream.offer(frame);
    }
  }
}
