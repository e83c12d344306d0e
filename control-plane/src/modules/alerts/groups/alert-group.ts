/** Properties of monitors by which alerts are joined; part of the public API. */
export const groupings = ['monitor_prefix', 'tag', 'type'] as const;
export type Grouping = (typeof groupings)[number];

/** Group as decisions read it. */
export interface AlertGroup {
  readonly id: string;
  readonly name: string;
  /** True if a test key created it: it applies only to monitors of test keys. */
  readonly isTest: boolean;
  readonly by: Grouping;
  /** Value, as `groupValue` writes it. */
  readonly value: string;
  /** Time from the first alert to the first message. */
  readonly waitMs: number;
  /** Least time between two messages about changes. */
  readonly intervalMs: number;
  readonly createdAtMs: number;
}

/** Fields of a monitor that decide in which group its alerts are. */
export interface GroupedMonitor {
  readonly name: string;
  readonly isTest: boolean;
  /** In lower case. */
  readonly tags: readonly string[];
  readonly type: string;
}

/** Group of a monitor's alerts: of those that match the one that was created first; null if none matches. */
export function groupOf(groups: readonly AlertGroup[], monitor: GroupedMonitor): AlertGroup | null {
  const name = folded(monitor.name);
  return (
    groups
      .filter((group) => (monitor.isTest || !group.isTest) && matches(group, { ...monitor, name }))
      .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1))[0] ?? null
  );
}

/** Value of a group as it is compared: every alert asks all groups of its owner, so that it is folded once. */
export function groupValue(by: Grouping, written: string): string {
  return by === 'monitor_prefix' ? folded(written) : written;
}

/** `name`: folded. */
function matches({ by, value }: AlertGroup, { name, tags, type }: GroupedMonitor): boolean {
  switch (by) {
    case 'monitor_prefix':
      return name.startsWith(value);
    case 'tag':
      return tags.includes(value);
    case 'type':
      return type === value;
  }
}

/** Text without differences of case: upper case first, since letters such as the German sharp s have none in lower case alone. */
function folded(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase();
}
