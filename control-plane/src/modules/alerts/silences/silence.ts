import type { AlertSeverity } from '@vantage/shared/alerts/policy.js';

/** Kinds of scopes of silences; part of the public API. */
export const silenceScopes = ['monitor', 'group', 'tag', 'all'] as const;
export type SilenceScope = (typeof silenceScopes)[number];

/** Silence as decisions read it. */
export interface Silence {
  readonly id: string;
  /** True if a test key created it: it applies only to monitors of test keys. */
  readonly isTest: boolean;
  readonly scope: SilenceScope;
  /** Ids of monitors or groups, or tags; empty for `all`. */
  readonly scopeIds: ReadonlySet<string>;
  /** Empty: all. */
  readonly severities: readonly AlertSeverity[];
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** Fields of a monitor that decide which silences apply to it. */
export interface SilencedMonitor {
  readonly id: string;
  readonly isTest: boolean;
  readonly groupId: string | null;
  /** In lower case. */
  readonly tags: readonly string[];
}

/**
 * Silence of a monitor's alerts of a severity at an instant, until the last of those that apply ends; null: none applies.
 * A silence begins at its first instant, and is over at its end.
 */
export function silenceOf(
  silences: readonly Silence[],
  monitor: SilencedMonitor,
  severity: AlertSeverity,
  nowMs: number,
): { readonly untilMs: number } | null {
  const ends = silences
    .filter(({ startsAtMs, endsAtMs }) => startsAtMs <= nowMs && nowMs < endsAtMs)
    .filter((silence) => covers(silence, monitor, severity))
    .map(({ endsAtMs }) => endsAtMs);
  return ends.length === 0 ? null : { untilMs: Math.max(...ends) };
}

/** Instant at which the next silence of a monitor's alerts of a severity begins; null: none is planned. */
export function nextSilenceAt(
  silences: readonly Silence[],
  monitor: SilencedMonitor,
  severity: AlertSeverity,
  nowMs: number,
): number | null {
  const begins = silences
    .filter(({ startsAtMs }) => startsAtMs > nowMs)
    .filter((silence) => covers(silence, monitor, severity))
    .map(({ startsAtMs }) => startsAtMs);
  return begins.length === 0 ? null : Math.min(...begins);
}

function covers(silence: Silence, monitor: SilencedMonitor, severity: AlertSeverity): boolean {
  const { severities } = silence;
  return (severities.length === 0 || severities.includes(severity)) && isInScope(silence, monitor);
}

function isInScope({ isTest, scope, scopeIds }: Silence, monitor: SilencedMonitor): boolean {
  if (isTest && !monitor.isTest) return false;
  switch (scope) {
    case 'monitor':
      return scopeIds.has(monitor.id);
    case 'group':
      return monitor.groupId !== null && scopeIds.has(monitor.groupId);
    case 'tag':
      return monitor.tags.some((tag) => scopeIds.has(tag));
    case 'all':
      return true;
  }
}

/** State of a silence; part of the public API. */
export const silenceStatuses = ['upcoming', 'active', 'expired'] as const;
export type SilenceStatus = (typeof silenceStatuses)[number];

/** State of a silence at an instant. */
export function silenceStatus(
  { startsAtMs, endsAtMs }: Pick<Silence, 'startsAtMs' | 'endsAtMs'>,
  nowMs: number,
): SilenceStatus {
  if (nowMs >= endsAtMs) return 'expired';
  return nowMs < startsAtMs ? 'upcoming' : 'active';
}
