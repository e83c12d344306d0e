import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { Clock } from '@vantage/shared/clock.js';
import { encodeResult } from '@vantage/shared/protocol/codec.js';
import { type Lane, lanes } from '@vantage/shared/protocol/lanes.js';
import { type Logger, pino } from 'pino';
import type { Test } from 'tap';
import { Spool, type SpoolOptions, type SpoolRow } from '../spool.js';
import { NEXT_COMMIT_MS } from '../spool-writer.js';

/** Folder in which a commit costs no disk access, if there is one: for tests of very many commits. */
export const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A temporary folder that goes with the test. */
export function aFolder(t: Test, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'vantage-spool-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * A spool closed with the test; without options in a folder of its own, on a clock that stands still. Acknowledgements
 * do not wait for the next rows.
 */
export async function openSpool(t: Test, options: Partial<SpoolOptions> = {}): Promise<Spool> {
  const folder = options.folder ?? aFolder(t);
  const clock = withoutPatience(options.clock ?? new FakeClock());
  const spool = await Spool.open({ log: pino({ level: 'silent' }), ...options, clock, folder });
  t.teardown(() => spool.close());
  return spool;
}

/** The same clock, but for the time that an acknowledgement waits for rows to travel with. */
function withoutPatience(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    afterInput: (callback) => clock.afterInput(callback),
    after: (ms, callback, options) => {
      if (ms !== NEXT_COMMIT_MS) return clock.after(ms, callback, options);
      const soon = setImmediate(callback);
      return () => clearImmediate(soon);
    },
  };
}

/** A logger that keeps what it is given; `lines` grows. */
export function recordingLog(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  return { log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }), lines };
}

/** A payload of `bytes` bytes that begins with `text`. */
export function aPayload(text: string, bytes = text.length): Uint8Array {
  return Buffer.alloc(Math.max(bytes, text.length), 0x20).fill(text, 0, text.length);
}

/** Appends one payload per text and waits until all are durable; answers their numbers. */
export async function appendAll(spool: Spool, lane: Lane, texts: readonly string[], bytes?: number): Promise<number[]> {
  const appended = texts.map((text) => spool.append(lane, aPayload(text, bytes)));
  await Promise.all(appended.map(({ durable }) => durable));
  return appended.map(({ sequence }) => sequence);
}

/** An encoded result of task `pt_<number> `. */
export function aResult(number: number): Uint8Array {
  return encodeResult({
    taskId: `pt_${number} `,
    probeType: 'ping',
    resultJson: Buffer.from(JSON.stringify({ answered: number, text: 'x'.repeat(300) })),
    finishedAtMs: Date.UTC(2026, 0, 1),
    clockOffsetMs: 0,
    uncertaintyMs: -1,
  });
}

/** Appends `count` results and waits until they are durable; their tasks are named for their numbers. */
export async function appendResults(spool: Spool, lane: Lane, count: number): Promise<void> {
  const { last } = spool.state()[lane];
  const appended = Array.from({ length: count }, (_, i) => spool.append(lane, aResult(last + i + 1)));
  await Promise.all(appended.map(({ durable }) => durable));
}

/** Every row above `after`, as `number text`, walking over holes as a link does. */
export async function readAll(spool: Spool, lane: Lane, after: number): Promise<string[]> {
  const found: string[] = [];
  for (let from = after; ; ) {
    const rows = await spool.read(lane, from, 1_000, 1_000_000);
    if (rows.length === 0) return found;
    found.push(...rows.map(describeRow));
    from = rows.at(-1)?.sequence ?? from;
  }
}

/** `number text` of a row made by aPayload. */
export function describeRow(row: SpoolRow): string {
  return `${row.sequence} ${Buffer.from(row.payload).toString().trimEnd()}`;
}

/**
 * Violations of the promise that a link relies on: every number above the acknowledged one is a row or dropped, and
 * never both.
 */
export async function findBreaches(spool: Spool): Promise<string[]> {
  const breaches: string[] = [];
  for (const lane of lanes) {
    const { last, acked } = spool.state()[lane];
    const rows = new Set((await readAll(spool, lane, acked)).map((row) => Number.parseInt(row, 10)));
    const ranges = spool.droppedRanges(lane);
    for (let number = acked + 1; number <= last; number += 1) {
      const isDropped = ranges.some((range) => range.first <= number && number <= range.last);
      if (rows.has(number) === isDropped) breaches.push(`${lane} ${number} ${isDropped ? 'is both' : 'is neither'}`);
    }
  }
  return breaches;
}

/** Waits until the lane has exactly `count` rows, those of the replay window included. */
export async function untilRows(spool: Spool, lane: Lane, count: number): Promise<void> {
  const deadline = performance.now() + 10_000;
  while ((await readAll(spool, lane, 0)).length !== count) {
    if (performance.now() > deadline) throw new Error(`lane "${lane}" never had ${count} rows`);
  }
}
