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

/** Group of a monitor's alerts: of those that match the one that was created first; null: none matches. */
export function groupOf(groups: readonly AlertGroup[], monitor: GroupedMonitor): AlertGroup | null {
  return (
    groups
      .filter((group) => (monitor.isTest || !group.isTest) && matches(group, monitor))
      .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1))[0] ?? null
  );
}

function matches({ by, value }: AlertGroup, { name, tags, type }: GroupedMonitor): boolean {
  switch (by) {
    case 'monitor_prefix':
      return folded(name).startsWith(folded(value));
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
