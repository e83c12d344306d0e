import { type IpAddress, parseAddress } from '@vantage/shared/target-policy/address.js';
import { readContent } from 'vantage-control/modules/lookups/lists/list-content.js';
import { judgeReputation, type ReputationList } from 'vantage-control/modules/lookups/reputation/score.js';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import { type MadeList, makeAddresses, makeLists } from './made-lists.js';

const ENTRIES = sized(5_000_000, 10_000);
const ADDRESSES = sized(200_000, 2_000);
/** Interval of the timer whose delay stands for that of a request. */
const TICK_MS = 2;

/** Loading, judging and replacing lists. */
export const reputation: LinkComparison = {
  name: 'reputation',
  title: 'lists of addresses, and judgments by them',
  question: 'How fast are five million entries loaded and asked, and what does a reload delay?',
  method: ({ rounds }) =>
    `${ENTRIES.toLocaleString('en')} entries in six lists in no order, read from memory; ${ADDRESSES.toLocaleString('en')} random addresses judged in turn; baseline of loading: the lines split and put into a Set of texts, without ranges; of judging: a lookup of each address in the six Sets; delay: of a timer of ${TICK_MS} ms while all lists are loaded again; ${rounds} rounds after one that is not counted`,
  async run({ rounds }) {
    const made = makeLists(ENTRIES);
    const texts = makeAddresses(ADDRESSES);
    const all: Round[] = [];
    for (let round = 0; round <= rounds; round += 1) all.push(await measure(made, texts));
    return rowsOf(all.slice(1));
  },
};

interface Round {
  readonly seconds: number;
  readonly megabytes: number;
  readonly setSeconds: number;
  readonly perSecond: number;
  readonly setPerSecond: number;
  readonly delayMs: number;
}

async function measure(made: readonly MadeList[], texts: readonly string[]): Promise<Round> {
  const loading = await watchDelay(() => load(made));
  const lists = loading.result;
  const megabytes = lists.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  const addresses = texts.map((text) => parseAddress(text)).filter((address): address is IpAddress => address !== null);
  const judging = timed(() => judgeAll(addresses, lists));
  const filling = timed(() => made.map(({ content }) => new Set(content.toString('latin1').split('\n'))));
  const asking = timed(() => texts.filter((text) => filling.result.some((set) => set.has(text))).length);
  return {
    seconds: loading.seconds,
    megabytes,
    setSeconds: filling.seconds,
    perSecond: addresses.length / judging.seconds,
    setPerSecond: texts.length / asking.seconds,
    delayMs: loading.delayMs,
  };
}

async function load(made: readonly MadeList[]): Promise<(ReputationList & { readonly bytes: number })[]> {
  const lists: (ReputationList & { readonly bytes: number })[] = [];
  for (const list of made) {
    const { entries } = await readContent(list, { bytes: list.content.length, pieces: [list.content] });
    const { name, signal } = list;
    lists.push({ name, signal, entries, builtMs: Date.now(), maxAgeS: 86_400, bytes: entries.bytes });
  }
  return lists;
}

function judgeAll(addresses: readonly IpAddress[], lists: readonly ReputationList[]): number {
  const nowMs = Date.now();
  let sum = 0;
  for (const [n, address] of addresses.entries())
    sum += judgeReputation({ address, asn: 131_072 + n, lists, listings: [], nowMs }).score;
  return sum;
}

function timed<T>(work: () => T): { readonly seconds: number; readonly result: T } {
  const startedMs = performance.now();
  const result = work();
  return { seconds: (performance.now() - startedMs) / 1_000, result };
}

/** Runs the work, and measures the longest delay of a timer meanwhile. */
async function watchDelay<T>(work: () => Promise<T>) {
  let [lastMs, delayMs] = [performance.now(), 0];
  const timer = setInterval(() => {
    const nowMs = performance.now();
    delayMs = Math.max(delayMs, nowMs - lastMs - TICK_MS);
    lastMs = nowMs;
  }, TICK_MS);
  const startedMs = performance.now();
  const result = await work();
  clearInterval(timer);
  return { result, delayMs, seconds: (performance.now() - startedMs) / 1_000 };
}

function rowsOf(rounds: readonly Round[]): LinkRow[] {
  const figure = (read: (round: Round) => number) => figureOf(rounds.map(read));
  const [loaded, filled] = [figure(({ seconds }) => seconds), figure(({ setSeconds }) => setSeconds)];
  const [judged, asked] = [figure(({ perSecond }) => perSecond), figure(({ setPerSecond }) => setPerSecond)];
  const none = { baseline: '', ratio: '' };
  return [
    {
      what: 'loading all lists, seconds',
      ours: figureText(loaded),
      baseline: figureText(filled),
      ratio: (loaded.median / filled.median).toFixed(2),
      goal: 'at most 3 s',
    },
    {
      what: 'memory of the lists, MB',
      ours: figureText(
        figure(({ megabytes }) => megabytes),
        0,
      ),
      ...none,
      goal: 'at most 120 MB',
    },
    {
      what: 'judgments a second',
      ours: figureText(judged, 0),
      baseline: figureText(asked, 0),
      ratio: (judged.median / asked.median).toFixed(2),
      goal: 'at least 500 000',
    },
    {
      what: 'longest delay while loading, ms',
      ours: figureText(
        figure(({ delayMs }) => delayMs),
        1,
      ),
      ...none,
      goal: 'at most 20 ms',
    },
  ];
}
