import { isRecord } from './fields.js';

/** Groups of a backup, which are monitors there. */
export interface KumaGroups {
  isGroup(monitor: unknown): boolean;
  /** A group that no monitor is in, at any depth. */
  isEmptyGroup(monitor: unknown): boolean;
  /** Names of the groups a monitor is in, the outermost first, as one name; null: it is in none. */
  pathOf(monitor: unknown): string | null;
}

/** Characters: more than a group's name may have. */
const MAX_PATH = 1_000;
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
  const paths = new Map<string, string>();
  const pathOfGroup = (id: string, monitor: unknown): string => {
    const known = paths.get(id);
    if (known !== undefined) return known;
    const names = parentsOf(monitor).map(({ name }) => String(name ?? '').trim());
    const path = names.join(' / ');
    // as one name that is too long it is refused in its place; a file of them would fill the memory
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
