import { readdirSync, readFileSync } from 'node:fs';

/**
 * Bytes of memory that a process group has of its own and its share of what is shared (proc(5), Pss); 0 without
 * permission to read it.
 */
export function memoryOfGroup(group: number): number {
  const members = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && groupOf(name) === group);
  return members.reduce((sum, pid) => sum + memoryOf(pid), 0);
}

/** The fifth field: behind the name, which may have anything in it. */
function groupOf(pid: string): number | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat === null ? null : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

function memoryOf(pid: string): number {
  const rollup = readOrNull(`/proc/${pid}/smaps_rollup`) ?? '';
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024;
}

/** Processes go while they are looked at. */
function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
