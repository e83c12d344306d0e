import { type AlertSeverity, alertSeverities } from '@vantage/shared/alerts/policy.js';
import type { Slices } from '../../../runtime/slices.js';
import type { MonitorScopeType } from '../../monitors/index.js';
import type { Silence, SilencedMonitor } from './silence.js';

/** Instants of what covers a monitor, for one severity. */
interface Cover {
  /** End of the last silence that applies; 0: none does. */
  endsAtMs: number;
  /** Start of the next silence; Infinity: none is planned. */
  nextAtMs: number;
}

/**
 * Silences of an owner that apply at an instant or later, by what they cover. A question takes as long as a monitor has tags,
 * however many silences there are and whatever they name.
 */
export class SilenceIndex {
  readonly #covers = new Map<string, Record<AlertSeverity, Cover>>();

  private constructor() {}

  static async of(silences: readonly Silence[], nowMs: number, slices: Slices): Promise<SilenceIndex> {
    const index = new SilenceIndex();
    for (const silence of silences) {
      const { endsAtMs, scope, scopeIds } = silence;
      await slices.spend(1 + scopeIds.size);
      if (nowMs >= endsAtMs) continue;
      for (const id of scope === 'all' ? [''] : scopeIds) index.#add(silence, id, nowMs);
    }
    return index;
  }

  /** Instant at which the last of the silences of a monitor's alerts of a severity ends; null if none applies. */
  untilMs(monitor: SilencedMonitor, severity: AlertSeverity): number | null {
    const last = Math.max(0, ...this.#coversOf(monitor, severity).map(({ endsAtMs }) => endsAtMs));
    return last === 0 ? null : last;
  }

  /** Instant at which the next silence of a monitor's alerts of a severity begins; null if none is planned. */
  nextAtMs(monitor: SilencedMonitor, severity: AlertSeverity): number | null {
    const next = Math.min(
      Number.POSITIVE_INFINITY,
      ...this.#coversOf(monitor, severity).map(({ nextAtMs }) => nextAtMs),
    );
    return Number.isFinite(next) ? next : null;
  }

  #coversOf({ id, isTest, groupId, tags }: SilencedMonitor, severity: AlertSeverity): Cover[] {
    const coversOf = (scope: MonitorScopeType, name: string) =>
      (isTest ? [false, true] : [false]).flatMap(
        (ofTest) => this.#covers.get(keyOf(ofTest, scope, name))?.[severity] ?? [],
      );
    return [
      ...coversOf('all', ''),
      ...coversOf('monitor', id),
      ...(groupId === null ? [] : coversOf('group', groupId)),
      ...tags.flatMap((tag) => coversOf('tag', tag)),
    ];
  }

  #add({ isTest, scope, severities, startsAtMs, endsAtMs }: Silence, id: string, nowMs: number): void {
    const key = keyOf(isTest, scope, id);
    const covers = this.#covers.get(key) ?? { critical: noCover(), warning: noCover(), info: noCover() };
    this.#covers.set(key, covers);
    for (const severity of severities.length === 0 ? alertSeverities : severities) {
      const cover = covers[severity];
      if (startsAtMs > nowMs) cover.nextAtMs = Math.min(cover.nextAtMs, startsAtMs);
      else cover.endsAtMs = Math.max(cover.endsAtMs, endsAtMs);
    }
  }
}

function noCover(): Cover {
  return { endsAtMs: 0, nextAtMs: Number.POSITIVE_INFINITY };
}

function keyOf(isTest: boolean, scope: MonitorScopeType, id: string): string {
  return `${isTest ? 'test' : 'real'} ${scope} ${id}`;
}
