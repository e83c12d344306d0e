import type { AlertSeverity } from '@vantage/shared/alerts/policy.js';
import type { MonitorScopeType } from '../../monitors/index.js';

/** Silence as decisions read it. */
export interface Silence {
  readonly id: string;
  /** True if a test key created it: it applies only to monitors of test keys. */
  readonly isTest: boolean;
  readonly scope: MonitorScopeType;
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
