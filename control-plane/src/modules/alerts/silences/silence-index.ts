import { type AlertSeverity, alertSeverities } from '@vantage/shared/alerts/policy.js';
import type { Slices } from '../../../runtime/slices.js';
import type { Silence, SilencedMonitor, SilenceScope } from './silence.js';

type Ends = Record<AlertSeverity, number>;
const NEVER: Readonly<Ends> = { critical: 0, warning: 0, info: 0 };

/**
 * Silences of an owner that apply at an instant, by what they cover. A question takes as long as a monitor has tags, however many
 * silences there are and whatever they name.
 */
export class SilenceIndex {
  readonly #ends = new Map<string, Ends>();

  private constructor() {}

  static async of(silences: readonly Silence[], nowMs: number, slices: Slices): Promise<SilenceIndex> {
    const index = new SilenceIndex();
    for (const silence of silences) {
      const { startsAtMs, endsAtMs, scope, scopeIds } = silence;
      await slices.spend(1 + scopeIds.size);
      if (startsAtMs > nowMs || nowMs >= endsAtMs) continue;
      for (const id of scope === 'all' ? [''] : scopeIds) index.#add(silence, id);
    }
    return index;
  }

  /** Instant at which the last of the silences of a monitor's alerts of a severity ends; null: none applies. */
  untilMs({ id, isTest, groupId, tags }: SilencedMonitor, severity: AlertSeverity): number | null {
    const endOf = (scope: SilenceScope, name: string) =>
      (isTest ? [false, true] : [false]).map((ofTest) => this.#ends.get(keyOf(ofTest, scope, name))?.[severity] ?? 0);
    const ends = [
      ...endOf('all', ''),
      ...endOf('monitor', id),
      ...(groupId === null ? [] : endOf('group', groupId)),
      ...tags.flatMap((tag) => endOf('tag', tag)),
    ];
    const last = Math.max(...ends);
    return last === 0 ? null : last;
  }

  #add({ isTest, scope, severities, endsAtMs }: Silence, id: string): void {
    const key = keyOf(isTest, scope, id);
    const ends = this.#ends.get(key) ?? { ...NEVER };
    for (const severity of severities.length === 0 ? alertSeverities : severities)
      ends[severity] = Math.max(ends[severity], endsAtMs);
    this.#ends.set(key, ends);
  }
}

function keyOf(isTest: boolean, scope: SilenceScope, id: string): string {
  return `${isTest ? 'test' : 'real'} ${scope} ${id}`;
}
