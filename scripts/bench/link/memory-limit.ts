import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Path of the kernel's memory controller, and the names of its files in that version (cgroups(7)). */
const versions = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', events: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', events: 'memory.events' },
] as const;

/** A control group whose processes may have so much memory together, what the kernel caches for them included. */
export class MemoryLimit {
  readonly #folder: string;
  readonly #events: string;

  private constructor(folder: string, events: string) {
    this.#folder = folder;
    this.#events = events;
  }

  /** @throws Error where there is no memory controller that this user may use */
  static of(bytes: number, name: string): MemoryLimit {
    const version = versions.find(({ root, limit }) => existsSync(join(root, limit)) || isV2(root));
    if (version === undefined) throw new Error('no memory controller: mount cgroups, and be root');
    const folder = join(version.root, name);
    mkdirSync(folder);
    const limit = new MemoryLimit(folder, version.events);
    try {
      writeFileSync(join(folder, version.limit), String(bytes));
    } catch (error) {
      limit.remove();
      throw error;
    }
    return limit;
  }

  /** The command line that runs `command` within the limit, with all it starts. */
  commandOf(command: readonly string[]): readonly string[] {
    return ['/bin/sh', '-c', `echo $$ > '${this.#folder}/cgroup.procs' && exec "$@"`, 'sh', ...command];
  }

  /** Processes that the kernel has killed because they wanted more. */
  get killed(): number {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(this.#folder, this.#events), 'utf8'))?.[1]);
  }

  /** Removes the group, once its processes have ended. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}

function isV2(root: string): boolean {
  const controllers = join(root, 'cgroup.subtree_control');
  return existsSync(controllers) && readFileSync(controllers, 'utf8').includes('memory');
}
