import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Files of the state directory that an upgrade leaves over a restart of the agent:
//
//   upgrade.pending.json   by the agent: the request that its command carries out
//   upgrade.failed         by whatever carries it out: VERSION, a space, and the reason in one sentence

/** Request that was started and has no outcome yet. */
export interface UpgradeRequest {
  readonly version: string;
  readonly request: number;
}

/** Bytes read of a reason at most. */
const MAX_REASON = 1024;

/** The request in progress, kept so that the next process of the agent reports its failure. */
export class PendingUpgrade {
  readonly #requestPath: string;
  readonly #failurePath: string;

  constructor(stateDir: string) {
    this.#requestPath = join(stateDir, 'upgrade.pending.json');
    this.#failurePath = join(stateDir, 'upgrade.failed');
  }

  /** The request that the previous process started; null if there is none that can be read. */
  load(): UpgradeRequest | null {
    try {
      const { version, request } = JSON.parse(readFileSync(this.#requestPath, 'utf8'));
      return typeof version === 'string' && Number.isSafeInteger(request) ? { version, request } : null;
    } catch {
      return null;
    }
  }

  /** Keeps a request; an older failure is forgotten. On a full disk nothing is kept. */
  begin(request: UpgradeRequest): void {
    this.end();
    try {
      writeFileSync(`${this.#requestPath}.new`, JSON.stringify(request), { mode: 0o600 });
      renameSync(`${this.#requestPath}.new`, this.#requestPath);
    } catch {
      // the control plane calls the upgrade failed after a time
    }
  }

  /** Reason why the upgrade to a version failed; null if it has not failed so far. */
  findFailure(version: string): string | null {
    try {
      const text = readFileSync(this.#failurePath, 'utf8').slice(0, MAX_REASON).trim();
      return text.startsWith(`${version} `) ? text.slice(version.length + 1) : null;
    } catch {
      return null;
    }
  }

  /** Forgets the request and its failure. */
  end(): void {
    for (const path of [this.#requestPath, this.#failurePath]) rmSync(path, { force: true });
  }
}
