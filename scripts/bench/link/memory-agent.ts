import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@vantage/shared/clock.js';
import { encodeResult } from '@vantage/shared/protocol/codec.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import { enroll } from 'vantage-agent/identity/enrollment.js';
import { createLog } from 'vantage-agent/log.js';
import { Spool } from 'vantage-agent/spool/spool.js';
import { installedFlags } from '../../demo/installed-flags.js';
import { sized } from '../harness.js';
import { agentScript } from '../programs.js';
import type { MemoryLimit } from './memory-limit.js';
import { MemoryPeer } from './memory-peer.js';
import { pingResult } from './results.js';

const SPOOL_BYTES = sized(64 * 1024 * 1024, 1024 * 1024);

/** A real agent whose memory is looked at, and the peer it is enrolled with. */
export class MemoryAgent {
  readonly peer = new MemoryPeer();
  readonly #folder = mkdtempSync(join(tmpdir(), 'vantage-bench-memory-'));
  /** A copy of Node that no other program maps. */
  readonly #node = join(this.#folder, 'node');
  readonly #stateDir = join(this.#folder, 'state');

  private constructor() {}

  /** Enrolled and not running. */
  static async enroll(): Promise<MemoryAgent> {
    const agent = new MemoryAgent();
    try {
      await agent.peer.listen();
      copyFileSync(process.execPath, agent.#node);
      await agent.#enroll();
      return agent;
    } catch (error) {
      agent.remove();
      throw error;
    }
  }

  /** Resolves when the agent is linked; rejects when it ends before. */
  async start(limit?: MemoryLimit): Promise<ChildProcess> {
    const welcomed = this.peer.welcomed();
    const command = [this.#node, ...installedFlags(agentScript), agentScript, 'run', '--state-dir', this.#stateDir];
    const [program = '', ...args] = limit?.commandOf(command) ?? command;
    const child = spawn(program, args, {
      env: { ...process.env, VANTAGE_ALLOW_TARGETS: '127.0.0.0/8', VANTAGE_LOG_LEVEL: 'error' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`the agent ended before its link opened: ${signal ?? `exit code ${code}`}`);
    });
    await Promise.race([welcomed, ended]);
    ended.catch(() => undefined);
    return child;
  }

  /** Fills the spool to its bound while the agent does not run; answers with how many results. */
  async fillSpool(): Promise<number> {
    const folder = join(this.#stateDir, 'spool');
    const spool = await Spool.open({ folder, log: createLog('silent'), clock: systemClock });
    const payload = encodeResult(pingResult('pt_1'));
    while (spool.stats().heldBytes + 1_000 * payload.length < SPOOL_BYTES) {
      await Promise.all(Array.from({ length: 1_000 }, () => spool.append('check', payload).durable));
    }
    const { rows } = spool.stats();
    await spool.close();
    return rows;
  }

  remove(): void {
    this.peer.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #enroll(): Promise<unknown> {
    return enroll({
      stateDir: this.#stateDir,
      url: this.peer.url,
      token: makeToken(tokenPrefixes.enrollment).token,
      version: '0.0.0',
      capabilities: [],
      isInsecureAllowed: false,
      bindAddress: null,
      proxyUrl: null,
      clock: systemClock,
      random: Math.random,
      onRetry: () => undefined,
    });
  }
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Ends an agent that may have ended. */
export async function stopAgent(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
