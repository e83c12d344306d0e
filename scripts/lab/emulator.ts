import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { demand } from '@vantage/shared/_support/missing.js';
import { namespaceOf, run } from './namespaces.js';
import type { Direction, Link } from './topology.js';

const SOURCE = fileURLToPath(new URL('../../lab/emulator.c', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../.cache/lab', import.meta.url));

/**
 * Effects of a link on the frames of one direction. Ratios 0..1; jitter is uniform around the delay and keeps the
 * order.
 */
export interface LinkSettings {
  readonly delayMs: number;
  readonly jitterMs: number;
  readonly lossRatio: number;
  readonly duplicateRatio: number;
  /** Share of frames held back until the next one has overtaken them. */
  readonly reorderRatio: number;
  /** 0: no limit. */
  readonly rateBitsPerSecond: number;
  /** Bytes that wait before a limited rate; what comes beyond is dropped. */
  readonly queueBytes: number;
}

/** Frames of one direction since the lab began. received + duplicated = lost + overflowed + delivered + failed + in flight. */
export interface LinkCounters {
  readonly received: number;
  readonly receivedBytes: number;
  readonly lost: number;
  /** Frames dropped because the queue before the limited rate was full. */
  readonly overflowed: number;
  readonly duplicated: number;
  /** Overtaken by the frame behind. */
  readonly reordered: number;
  readonly delivered: number;
  readonly deliveredBytes: number;
  /** Frames that the receiving interface did not take: it is down. */
  readonly failed: number;
}

/** One direction of one link as it stands. */
export interface LinkStatus {
  readonly link: number;
  readonly direction: Direction;
  readonly settings: LinkSettings;
  readonly counters: LinkCounters;
}

/** The process that is the cables of a lab. */
export interface Emulator {
  readonly pid: number;
  stop(): Promise<void>;
}

/** Compiles the emulator unless that is done. @returns the program; @throws MissingProgramsError without a compiler */
export async function compileEmulator(): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16);
  const program = join(CACHE, `emulator-${hash}`);
  if (existsSync(program)) return program;
  demand('gcc');
  mkdirSync(CACHE, { recursive: true });
  const fresh = `${program}.${process.pid}`;
  await run('gcc', ['-O2', '-Wall', '-Wextra', '-o', fresh, SOURCE]);
  renameSync(fresh, program);
  return program;
}

/** Starts the cables between existing namespaces. It ends by itself when this process has ended. */
export async function startEmulator(options: {
  readonly lab: string;
  readonly links: readonly Link[];
  readonly socket: string;
  readonly seed: number;
}): Promise<Emulator> {
  const { lab, links, socket, seed } = options;
  const ends = links.map(({ number, left, right }) =>
    [number, namespaceOf(lab, left), `link${number}`, namespaceOf(lab, right), `link${number}`].join(':'),
  );
  const child = spawn(await compileEmulator(), [socket, String(seed), ...ends], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await whenReady(child);
  return {
    pid: child.pid ?? 0,
    stop: () => {
      child.stdin?.end();
      return ended;
    },
  };
}

async function whenReady(child: ChildProcess): Promise<void> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new TypeError('no pipes');
  const ready = new Promise<boolean>((resolve) =>
    stdout.once('data', () => resolve(true)).once('end', () => resolve(false)),
  );
  const said = text(stderr);
  if (!(await ready)) throw new Error(`the link emulator did not start: ${(await said).trim()}`);
}

/** Changes what is given of one direction of a link; the rest stays. @throws Error when a value is out of range */
export async function setDirection(
  socket: string,
  link: number,
  direction: Direction,
  settings: Partial<LinkSettings>,
): Promise<void> {
  const { delayMs, jitterMs, lossRatio, duplicateRatio, reorderRatio, rateBitsPerSecond, queueBytes } = settings;
  const pairs = Object.entries({
    delay_ns: delayMs === undefined ? undefined : Math.round(delayMs * 1e6),
    jitter_ns: jitterMs === undefined ? undefined : Math.round(jitterMs * 1e6),
    loss: lossRatio,
    duplicate: duplicateRatio,
    reorder: reorderRatio,
    rate_bps: rateBitsPerSecond,
    queue_bytes: queueBytes,
  }).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
  await command(socket, ['set', link, direction, ...pairs].join(' '));
}

/** Restarts the random numbers of every direction: the same traffic then has the same fate. */
export async function seedLinks(socket: string, seed: number): Promise<void> {
  await command(socket, `seed ${seed}`);
}

/** Every direction of every link. */
export async function linkStatus(socket: string): Promise<LinkStatus[]> {
  return JSON.parse(await ask(socket, 'status')) as LinkStatus[];
}

async function command(socket: string, line: string): Promise<void> {
  const answer = await ask(socket, line);
  if (answer !== 'ok') throw new Error(`"${line}": ${answer}`);
}

async function ask(path: string, line: string): Promise<string> {
  const socket = connect(path);
  socket.write(`${line}\n`);
  let answer = '';
  for await (const chunk of socket) {
    answer += String(chunk);
    if (answer.endsWith('\n')) return answer.trimEnd();
  }
  throw new Error('the link emulator did not reply');
}
