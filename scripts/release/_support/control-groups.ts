import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';

const ROOT = '/sys/fs/cgroup';
/** Settings that a new group of version 1 has to be given before it takes a process (cpuset(7)). */
const CPUSET = ['cpuset.cpus', 'cpuset.mems'];

/** Control groups of one name, one in each hierarchy of this machine (cgroups(7)). */
export interface ControlGroups {
  /** File system at /sys/fs/cgroup: the one hierarchy of version 2, or a folder of those of version 1. */
  readonly root: 'cgroup2' | 'tmpfs';
  /** Folders; a process is in the group once it is written to their `cgroup.procs`. */
  readonly folders: readonly string[];
}

/** Makes them; removed with all that is in them when `t` ends, after their processes. */
export async function makeControlGroups(t: Pick<Test, 'teardown'>, name: string): Promise<ControlGroups> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
  const hierarchies = mounts.filter(([, , type]) => type === 'cgroup' || type === 'cgroup2');
  const folders: string[] = [];
  t.teardown(async () => {
    for (const folder of folders) await removeGroup(folder);
  });
  for (const [, hierarchy = ''] of hierarchies) {
    const folder = join(hierarchy, name);
    await mkdir(folder);
    folders.push(folder);
    const files = await readdir(folder);
    for (const file of CPUSET.filter((file) => files.includes(file) && !files.includes('cgroup.controllers')))
      await writeFile(join(folder, file), await readFile(join(hierarchy, file)));
  }
  return { root: hierarchies.some(([, path]) => path === ROOT) ? 'cgroup2' : 'tmpfs', folders };
}

async function removeGroup(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.filter((entry) => entry.isDirectory())) await removeGroup(join(folder, entry.name));
  // busy for a moment after the last process has ended
  for (let tries = 1; ; tries += 1) {
    const error = await rmdir(folder).then(
      () => null,
      (error: unknown) => error,
    );
    if (error === null) return;
    if (tries === 50) throw error;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
