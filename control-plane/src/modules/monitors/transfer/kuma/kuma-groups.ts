import { isRecord } from '../entry/fields.js';

/** Groups of a backup, where they are monitors. */
export interface KumaGroups {
  isGroup(monitor: unknown): boolean;
  /** True if a group has no monitor at any depth. */
  isEmptyGroup(monitor: unknown): boolean;
  /** Names of the groups of a monitor, the outermost first, as one name, or null. */
  pathOf(monitor: unknown): string | null;
}

/** Length above that of any valid name of a group, in characters. */
const MAX_PATH = 1_000;
/** Greatest depth of nested groups: beyond it a group must contain itself. */
const MAX_DEPTH = 32;

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
  const paths = new Map<string, string>();
  const pathOfGroup = (id: string, monitor: unknown): string => {
    const known = paths.get(id);
    if (known !== undefined) return known;
    const names = parentsOf(monitor).map(({ name }) => String(name ?? '').trim());
    const path = names.join(' / ');
    // a name that is too long is cut and refused later: a file of such names would fill the memory
    paths.set(id, path.slice(0, MAX_PATH));
    return path.slice(0, MAX_PATH);
  };
  const used = new Set(monitors.filter((monitor) => !isGroup(monitor)).flatMap(parentsOf));
  return {
    isGroup,
    isEmptyGroup: (monitor) => isGroup(monitor) && !used.has(monitor),
    pathOf: (monitor) => {
      const id = isRecord(monitor) ? String(monitor['parent']) : '';
      return groups.has(id) ? pathOfGroup(id, monitor) : null;
    },
  };
}

function isGroup(monitor: unknown): monitor is Record<string, unknown> {
  return isRecord(monitor) && monitor['type'] === 'group';
}
