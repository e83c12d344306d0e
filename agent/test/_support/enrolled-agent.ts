import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Test } from 'tap';
import { enroll } from '../../src/identity/enrollment.js';
import { readStatus } from '../../src/status-file.js';
import { type CommandOptions, type RunningCommand, startCommand } from './cli.js';
import type { FakeControlPlane } from './fake-control-plane.js';
import { temporaryDirectory } from './temporary-directory.js';

/** A state directory with a node of `controlPlane` in it. */
export async function enrolledStateDir(t: Test, controlPlane: FakeControlPlane): Promise<string> {
  const stateDir = join(temporaryDirectory(t), 'state');
  await enroll({
    stateDir,
    url: controlPlane.url,
    token: makeToken(tokenPrefixes.enrollment).token,
    version: '0.0.0',
    capabilities: [],
    isInsecureAllowed: false,
    bindAddress: null,
    proxyUrl: null,
    clock: systemClock,
    random: () => 0,
    onRetry: () => undefined,
  });
  return stateDir;
}

/** `vantage-agent run` with this state directory; probes may reach loopback. */
export function startAgent(t: Test, stateDir: string, options: CommandOptions = {}): RunningCommand {
  return startCommand(t, ['run', '--state-dir', stateDir], {
    ...options,
    env: { VANTAGE_ALLOW_TARGETS: '127.0.0.0/8', ...options.env },
  });
}

/** Process ids of the children of `pid`. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map(Number);
}

/**
 * Process id of the one measuring child of the agent `pid`. Another child, which asks about the clock of the machine,
 * may exist for a moment.
 */
export async function measuringChildOf(pid: number): Promise<number> {
  const found = () => childrenOf(pid).filter((child) => commandLineOf(child).startsWith(process.execPath));
  await until('one measuring child', () => found().length === 1);
  return found()[0] ?? 0;
}

/** Command line of a process, proc(5); empty if it has ended. */
function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** Waits until the agent says that its link is open: it does so a moment after the control plane has welcomed it. */
export async function saysConnected(stateDir: string): Promise<void> {
  let isConnected = false;
  await until('the agent says connected', () => {
    void readStatus(stateDir).then((status) => {
      isConnected = status?.link.state === 'open';
    });
    return isConnected;
  });
}

/**
 * True if a process exists. A child of this process that has ended counts as existing until this process has reaped
 * it; other processes that have ended do not, because it is not certain that they are ever reaped (proc(5)).
 */
export function isAlive(pid: number): boolean {
  try {
    const [, state = '', parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return !'ZX'.includes(state) || Number(parent) === process.pid;
  } catch {
    return false;
  }
}

/** Waits until none of these processes is left. */
export async function allGone(pids: readonly number[]): Promise<void> {
  await until(`processes ${pids.join(', ')} end`, () => !pids.some(isAlive));
}
