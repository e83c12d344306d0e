import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import { AGENT_SCRIPT, type LaunchOptions } from './real-agent.js';
import { temporaryDirectory } from './temporary-directory.js';

// An operator's installation, as decision 0012 describes it:
//
//   releases/0.1.0/  the agent as it was built         current -> the release that runs
//   releases/0.2.0/  the same, of another version      upgrade    links `current` to another release, restarts the agent

const packageDirectory = path.dirname(path.dirname(AGENT_SCRIPT));
const checkout = path.dirname(packageDirectory);

/** Releases of the agent side by side, and the command that swaps them. */
export class AgentInstallation {
  readonly directory: string;

  constructor(t: Test, versions: readonly string[], extraLine = '') {
    this.directory = temporaryDirectory(t);
    for (const version of versions) this.#install(version);
    symlinkSync(this.#release(versions[0] ?? ''), this.file('current'));
    this.#write('upgrade', [
      `cd '${this.directory}'`,
      '[ -d "releases/$1" ] || { echo "no release $1" >&2; exit 2; }',
      extraLine,
      'ln -sfn "$PWD/releases/$1" next && mv -T next current',
      'echo "restarting"',
      'kill -TERM "$(cat pid)"',
    ]);
  }

  /** How a service manager runs the agent of this installation. */
  get launch(): LaunchOptions {
    return {
      script: this.file('current/agent/bin/vantage-agent.js'),
      environment: { VANTAGE_AGENT_UPGRADE_COMMAND: this.file('upgrade') },
    };
  }

  /** Records which process the command must end; a service manager knows it. */
  notePid(pid: number): void {
    writeFileSync(this.file('pid'), String(pid));
  }

  file(name: string): string {
    return path.join(this.directory, name);
  }

  #release(version: string): string {
    return this.file(`releases/${version}`);
  }

  #install(version: string): void {
    const release = this.#release(version);
    mkdirSync(release, { recursive: true });
    for (const part of ['bin', 'dist/program', 'package.json'])
      cpSync(path.join(packageDirectory, part), path.join(release, 'agent', part), { recursive: true });
    symlinkSync(path.join(checkout, 'node_modules'), path.join(release, 'node_modules'));
    const about = path.join(release, 'agent/package.json');
    writeFileSync(about, JSON.stringify({ ...JSON.parse(readFileSync(about, 'utf8')), version }));
  }

  #write(name: string, lines: readonly string[]): void {
    writeFileSync(this.file(name), `#!/bin/sh\nset -e\n${lines.join('\n')}\n`);
    chmodSync(this.file(name), 0o755);
  }
}
