import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';

const SCRIPT = fileURLToPath(new URL('../../../../control-plane/install/install-agent', import.meta.url));
/** Commands of the script after which something else is to be found; the others prepare for them. */
const STEPS = ['mv', 'ln', 'rm', 'tar'];

/** Home of a user on a machine without systemd, where a script of the operator starts and stops the agent. */
export class Machine {
  #programs = '/usr/bin:/bin:/usr/sbin:/sbin';

  private constructor(readonly home: string) {}

  /** One with an enrolled node; gone when `t` ends. */
  static async make(t: Test): Promise<Machine> {
    demand('sh');
    const machine = new Machine(await mkdtemp(join(tmpdir(), 'vantage-machine-')));
    t.teardown(() => rm(machine.home, { recursive: true, force: true }));
    const state = machine.path('.local/state/vantage-agent');
    await mkdir(state, { recursive: true });
    await writeFile(join(state, 'identity.json'), '{}');
    await writeFile(join(state, 'spool'), 'results that wait');
    await mkdir(machine.path('.config/vantage'), { recursive: true });
    const running = machine.path('.local/state/running');
    await machine.#writeScript(
      '.config/vantage/service',
      `now=$(basename "$(readlink "${machine.path('.local/lib/vantage-agent/current')}")")
echo "$1 $now" >>"${machine.path('service.log')}"
if [ "$1" = start ]; then echo "$now" >"${running}"; else rm -f "${running}"; fi`,
    );
    await mkdir(machine.path('tools'));
    await writeFile(machine.path('kill-at'), '0');
    for (const step of STEPS) await machine.#writeScript(`tools/${step}`, machine.#countingStep(step));
    return machine;
  }

  path(name: string): string {
    return join(this.home, name);
  }

  /** Runs install-agent; its whole group is killed before its step `killAt`, counted from 1. */
  async install(args: readonly string[], killAt = 0) {
    await writeFile(this.path('steps'), '');
    await writeFile(this.path('kill-at'), String(killAt));
    const words = [SCRIPT, '--user', '--no-enroll', ...args];
    const child = spawn('sh', words, { env: this.#env(), detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: code as number | null, stdout, stderr };
  }

  /** Runs install-agent as `curl … | sh` does: from standard input of a shell, without a terminal. */
  async installPiped(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const words = ['--wait', 'sh', '-s', '--', '--user', ...args];
    const child = spawn('setsid', words, { env: this.#env(env), stdio: ['pipe', 'pipe', 'pipe'] });
    // the script may have ended before all of it was read
    child.stdin.on('error', () => {});
    child.stdin.end(await readFile(SCRIPT));
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: code as number | null, stdout, stderr };
  }

  /** Hides a program of the system. */
  async hide(name: string): Promise<void> {
    await mkdir(this.path('programs'));
    const others = (await readdir('/usr/bin')).filter((other) => other !== name);
    for (const other of others) await symlink(join('/usr/bin', other), this.path(`programs/${other}`));
    this.#programs = this.path('programs');
  }

  /** Environment of a run, and what it has in addition. */
  #env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { PATH: `${this.path('tools')}:${this.#programs}`, HOME: this.home, TMPDIR: this.home, ...more };
  }

  /** Puts the version into the place where the agent's upgrade command leaves it. */
  async want(version: string): Promise<void> {
    await this.#run(this.path('.local/lib/vantage-agent/request-upgrade'), version);
  }

  /** Puts a program in front of those of the system. */
  async standIn(name: string, script: string): Promise<void> {
    await this.#writeScript(`tools/${name}`, script);
  }

  /** File's content; null without one. */
  read(name: string): Promise<string | null> {
    return readFile(this.path(name), 'utf8').catch(() => null);
  }

  /** Version that `current` names, and the version that runs. */
  async versions() {
    const current = await readlink(this.path('.local/lib/vantage-agent/current')).catch(() => null);
    return { current, running: (await this.read('.local/state/running'))?.trim() ?? null };
  }

  /** Starts and stops of the agent so far, with the version that was current, and forgets them. */
  async takeLog(): Promise<string[]> {
    const log = (await this.read('service.log')) ?? '';
    await rm(this.path('service.log'), { force: true });
    return log.split('\n').filter((line) => line !== '');
  }

  #countingStep(name: string): string {
    return `echo ${name} >>"${this.path('steps')}"
if [ "$(wc -l <"${this.path('steps')}")" = "$(cat "${this.path('kill-at')}")" ]; then kill -KILL 0; fi
exec /bin/${name} "$@"`;
  }

  async #writeScript(name: string, body: string): Promise<void> {
    await writeFile(this.path(name), `#!/bin/sh\n${body}\n`);
    await chmod(this.path(name), 0o755);
  }

  async #run(program: string, ...args: readonly string[]): Promise<void> {
    const child = spawn(program, args, { stdio: 'inherit' });
    await once(child, 'close');
  }
}
