import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@vantage/shared/clock.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Test } from 'tap';
import { enroll } from '../../src/identity/enrollment.js';
import { type CommandOptions, type RunningCommand, startCommand } from './cli.js';
import type { FakeControlPlane } from './fake-control-plane.js';
import { temporaryDirectory } from './temporary-directory.js';
import { until } from './until.js';

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

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until none of these processes is left. */
export async function allGone(pids: readonly number[]): Promise<void> {
  await until(`processes ${pids.join(', ')} end`, () => !pids.some(isAlive));
}
