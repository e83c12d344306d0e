import { isRecord } from './fields.js';

/** Groups of a backup, which are monitors there. */
export interface KumaGroups {
  isGroup(monitor: unknown): boolean;
  /** A group that no monitor is in, at any depth. */
  isEmptyGroup(monitor: unknown): boolean;
  /** Names of the groups a monitor is in, the outermost first, as one name; null: it is in none. */
  pathOf(monitor: unknown): string | null;
}

/** Groups within groups at most: whoever has more has one that is in itself. */
const MAX_DEPTH = 32;

/** Reads which monitor is in which group. */
export function kumaGroups(monitors: readonly unknown[]): KumaGroups {
  const groups = new Map(monitors.filter(isGroup).map((group) => [String(group['id']), group]));
  const parentsOf = (monitor: unknown): Record<string, unknown>[] => {
    const found: Record<string, unknown>[] = [];
    let next = isRecord(monitor) ? groups.get(String(monitor['parent'])) : undefined;
    while (next !== undefined && found.length < MAX_DEPTH) {
      found.unshift(next);
      next = groups.get(String(next['parent']));
    }
    return found;
  };
  const used = new Set(monitors.filter((monitor) => !isGroup(monitor)).flatMap(parentsOf));
  return {
    isGroup,
    isEmptyGroup: (monitor) => isGroup(monitor) && !used.has(monitor),
    pathOf: (monitor) => {
      const names = parentsOf(monitor).map(({ name }) => String(name ?? '').trim());
      return names.length === 0 ? null : names.join(' / ');
    },
  };
}

function isGroup(monitor: unknown): monitor is Record<string, unknown> {
  return isRecord(monitor) && monitor['type'] === 'group';
}
