import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@vantage/shared/clock.js';
import { writeFileDurably } from '../identity/durable-file.js';
import type { ClockSync, KeptClock, Uptime } from './clock-sync.js';

const FIRST_MS = 60_000;
const INTERVAL_MS = 600_000;
/** The kernel's name for this boot; elsewhere none is known. */
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';

/** Boot id and uptime of this machine. */
export async function machineUptime(): Promise<Uptime> {
  const bootId = await readFile(BOOT_ID_FILE, 'utf8').catch(() => '');
  return { bootId: bootId.trim(), uptimeMs: () => uptime() * 1000 };
}

/** Time of the control plane as stored by the previous process; null if nothing can be read. */
export async function readKeptClock(stateDir: string): Promise<KeptClock | null> {
  try {
    return parseKeptClock(JSON.parse(await readFile(clockPath(stateDir), 'utf8')));
  } catch {
    return null;
  }
}

/** Keeps what is known of the control plane's time for the next process: a minute after the start, every ten minutes, and at the end. */
export class ClockFile {
  readonly #options: { readonly stateDir: string; readonly clock: Clock; readonly clockSync: ClockSync };
  #cancelTimer: () => void = () => undefined;

  constructor(options: { readonly stateDir: string; readonly clock: Clock; readonly clockSync: ClockSync }) {
    this.#options = options;
  }

  start(): void {
    this.#schedule(FIRST_MS);
  }

  async stop(): Promise<void> {
    this.#cancelTimer();
    await this.#write();
  }

  #schedule(delayMs: number): void {
    const next = () => void this.#write().then(() => this.#schedule(INTERVAL_MS));
    this.#cancelTimer = this.#options.clock.after(delayMs, next, { unref: true });
  }

  /** Writes the file. Errors are ignored: without the file the next process waits for its first exchange. */
  async #write(): Promise<void> {
    const kept = this.#options.clockSync.keep();
    if (kept === null) return;
    const document = {
      boot_id: kept.bootId,
      uptime_ms: kept.uptimeMs,
      wall_at: kept.wallAt,
      server_at: kept.serverAt,
      uncertainty_ms: kept.uncertaintyMs,
    };
    await writeFileDurably(clockPath(this.#options.stateDir), `${JSON.stringify(document)}\n`).catch(() => undefined);
  }
}

function parseKeptClock(value: unknown): KeptClock | null {
  if (typeof value !== 'object' || value === null) return null;
  const { boot_id: bootId, ...fields }: Record<string, unknown> = { ...value };
  const { uptime_ms: uptimeMs, wall_at: wallAt, server_at: serverAt, uncertainty_ms: uncertaintyMs } = fields;
  const areNumbers = isNumber(uptimeMs) && isNumber(wallAt) && isNumber(serverAt) && isNumber(uncertaintyMs);
  if (typeof bootId !== 'string' || !areNumbers) return null;
  return { bootId, uptimeMs, wallAt, serverAt, uncertaintyMs };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function clockPath(stateDir: string): string {
  return join(stateDir, 'clock.json');
}
