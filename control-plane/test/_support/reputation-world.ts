import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import type { ControlPlane } from '../../src/control-plane.js';
import { type LookupWorld, startLookups } from './lookup-world.js';
import type { StackSettings } from './stack.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Replicas that have the same lists, each with a clock of its own. */
export interface ReputationWorld extends LookupWorld {
  readonly clocks: readonly FakeClock[];
  /** Advances the clocks of all replicas. */
  advance(seconds: number): void;
  /** Score of an address by the memory of each replica. */
  scores(address: string): Promise<number[]>;
  /** Waits until the memory of every replica gives an address this score. */
  untilScored(address: string, score: number): Promise<void>;
  /** Waits until the memory of every replica has as many current lists. */
  untilLoaded(count: number): Promise<void>;
  /** A list as the administrator sees it on the first replica. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses
  listed(name: string): Promise<any>;
  /** Advances the clocks to the next reading of the source, and lets every replica read and load. Meanwhile time stands still, or it would time out. */
  refresh(name: string): Promise<void>;
}

/** Beginning of a test's time unless it says otherwise, in milliseconds since the epoch: noon of the day whose partitions exist. */
const START_MS = new Date().setUTCHours(12, 0, 0, 0);

/** Interval at which replicas look for sources that are to be read, at least. */
const LOOK_SECONDS = 30;

/** Writes a list as a file that was last changed `hours` before the test's time begins. */
export function writeListFile(file: string, content: string | Buffer, hours = 33, startMs = START_MS): string {
  writeFileSync(file, content);
  const changed = new Date(startMs - hours * 3_600_000);
  utimesSync(file, changed, changed);
  return file;
}

/** Writes a file of lists and returns its path. */
export function writeLists(t: Test, lists: readonly object[]): string {
  const file = path.join(temporaryDirectory(t), 'lists.json');
  writeFileSync(file, JSON.stringify(lists));
  return file;
}

interface WorldOptions {
  /** Default: one. */
  readonly replicas?: number;
  readonly settings?: StackSettings;
  /** Beginning of the test's time; with nodes it has to be that of the database. */
  readonly startMs?: number;
}

/** Starts replicas with these lists. */
export async function startReputation(
  t: Test,
  lists: readonly object[],
  { replicas = 1, settings = {}, startMs = START_MS }: WorldOptions = {},
): Promise<ReputationWorld> {
  const clocks = Array.from(
    { length: replicas },
    () => new FakeClock(startMs, { rounds: ['list refresh', 'loaded lists'] }),
  );
  const [first, ...others] = clocks as [FakeClock, ...FakeClock[]];
  const world = await startLookups(t, [first, ...others], {
    VANTAGE_REPUTATION_LISTS: writeLists(t, lists),
    ...settings,
  });
  const [api] = world.apis;
  const advance = (seconds: number) => {
    for (const clock of clocks) clock.advance(seconds * 1_000);
  };
  const listed = async (name: string) => {
    const { body } = await api.call('GET', '/v1/admin/lists');
    return body.data.items.find((list: { name: string }) => list.name === name);
  };
  const checks = (address: string) => Promise.all(world.replicas.map((replica) => check(replica, address)));
  // without any list: -1
  const scores = async (address: string) => (await checks(address)).map((one) => one?.score ?? -1);
  return {
    ...world,
    clocks,
    advance,
    listed,
    scores,
    untilScored: (address, score) =>
      until(`${address} to score ${score} everywhere`, async () =>
        (await scores(address)).every((one) => one === score),
      ),
    untilLoaded: (count) =>
      until(`${count} lists in memory`, async () =>
        (await checks('8.8.8.8')).every((one) => one?.sources.length === count),
      ),
    async refresh(name) {
      const { next_check_at: nextAt } = await listed(name);
      advance(Math.max(0, (Date.parse(nextAt) - first.now()) / 1_000) + LOOK_SECONDS);
      for (const clock of [...clocks, ...clocks]) await clock.sweep();
    },
  };
}

let callers = 0;

/** Reputation by the memory of a replica, for a caller whose network has never asked before; null if there is no list. */
async function check({ services }: ControlPlane, address: string) {
  callers += 1;
  const caller = `20.${callers >> 8}.${callers & 255}.1`;
  const checking = { account: null, address: caller, locale: 'en', signal: new AbortController().signal } as const;
  return services.lookups.reputation.check(address, checking).catch(() => null);
}
