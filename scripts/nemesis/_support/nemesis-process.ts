import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { unmountBelow } from '../small-disk.js';

const RUNNER = fileURLToPath(new URL('../../../run.mjs', import.meta.url));

/** A nemesis in a process of its own, as a person starts it. */
export interface NemesisProcess {
  readonly pid: number;
  /** Directory of its temporary files, removed with the test. */
  readonly temporary: string;
  /** All it has said on standard error. */
  said(): string;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string }>;
}

/** `npm run nemesis -- ARGS`, by another command where there is one; killed with the test at the latest. */
export function startNemesis(
  t: Test,
  { inside = [] }: { readonly inside?: readonly string[] },
  ...args: readonly string[]
): NemesisProcess {
  const [file = process.execPath, ...rest] = [...inside, process.execPath, RUNNER, 'nemesis', ...args];
  const temporary = mkdtempSync(join(tmpdir(), 'vantage-test-'));
  t.teardown(() => {
    unmountBelow(temporary);
    rmSync(temporary, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  const child = spawn(file, rest, { env: { ...process.env, TMPDIR: temporary }, stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  const ended = new Promise<{ code: number | null; stdout: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout: said.stdout })),
  );
  return { pid: child.pid ?? 0, temporary, said: () => said.stderr, ended };
}

/** Findings of a nemesis that has ended, and the end of its log: for those who read that it failed. */
export function wordsOfEnd(nemesis: NemesisProcess, { code, stdout }: Awaited<NemesisProcess['ended']>): string {
  return code === 0 ? 'it found nothing' : `exit code ${code}: ${nemesis.said().slice(-2_000)}\n${stdout}`;
}
