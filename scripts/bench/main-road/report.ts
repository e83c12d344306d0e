import { machineText, tableText } from '../harness.js';
import { type Figure, figureOf, figureText } from '../statistics.js';
import type { Level, PartResult, Round } from './measure.js';
import { processKinds, type RoadName, roadNames } from './road.js';
import { MOST_SECONDS, steadyRule } from './steady.js';

/** Figures of one part at one number of probes in flight, for documents and other programs. */
export interface LevelFigures {
  readonly inFlight: number;
  /** Rate of Vantage divided by that of the bare road, round by round. */
  readonly ratio: Figure;
  readonly roads: Readonly<
    Record<
      RoadName,
      Readonly<Record<'perSecond' | 'p50' | 'p95' | 'p99', Figure>> &
        Pick<Round, 'usage' | 'idlePercent' | 'othersPercent'>
    >
  >;
}

/** Medians over the rounds, with the least and the most. */
export function levelFigures({ inFlight, rounds }: Level): LevelFigures {
  const [ours, bare] = [rounds.vantage, rounds['bare road']];
  const ratio = figureOf(ours.map(({ perSecond }, round) => perSecond / (bare[round]?.perSecond ?? Number.NaN)));
  return { inFlight, ratio, roads: { vantage: roadFigures(ours), 'bare road': roadFigures(bare) } };
}

function roadFigures(rounds: readonly Round[]): LevelFigures['roads'][RoadName] {
  const of = (read: (round: Round) => number) => figureOf(rounds.map(read));
  const usage = processKinds.map((kind) => [
    kind,
    {
      cpuUs: of((round) => round.usage[kind].cpuUs).median,
      switches: of((round) => round.usage[kind].switches).median,
    },
  ]);
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p95: of(({ p95 }) => p95),
    p99: of(({ p99 }) => p99),
    usage: Object.fromEntries(usage) as Round['usage'],
    idlePercent: of(({ idlePercent }) => idlePercent).median,
    othersPercent: of(({ othersPercent }) => othersPercent).median,
  };
}

/** Section of a part in Markdown. */
export function partText(
  { part, warmUps, levels }: PartResult,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): string {
  const figures = levels.map(levelFigures);
  return `## main-road: ${part.title}, beside a bare road

${machineText()}; ${rounds} rounds of ${seconds} s in turns, after a warm-up of each road until ${steadyRule} (${roadNames.map((name) => `${name}: ${warmUpText(warmUps[name])}`).join(', ')}).
Programs, load generator and target are processes of their own on the same cores; PostgreSQL waits for its disk (fsync on). Times are from POST to the response of the waiting GET.

${tableText(['in flight', 'vantage / bare road', 'probes/s', 'bare road', 'p50, ms', 'bare road', 'p95, ms', 'bare road'], figures.map(rateRow))}

CPU of each kind of process for a probe in µs, and context switches in parentheses; medians of the rounds.

${tableText(['in flight', 'road', ...processKinds, 'all', 'machine idle', 'other processes'], figures.flatMap(usageRows))}
`;
}

function warmUpText({ perSecond, isSteady }: PartResult['warmUps'][RoadName]): string {
  return isSteady ? `${perSecond.length} s` : `not steady after ${MOST_SECONDS} s`;
}

function rateRow({ inFlight, ratio, roads: { vantage, 'bare road': bare } }: LevelFigures): string[] {
  return [
    String(inFlight),
    `**${figureText(ratio)}**`,
    figureText(vantage.perSecond, 0),
    figureText(bare.perSecond, 0),
    figureText(vantage.p50),
    figureText(bare.p50),
    figureText(vantage.p95),
    figureText(bare.p95),
  ];
}

function usageRows({ inFlight, roads }: LevelFigures): string[][] {
  return roadNames.map((name) => {
    const { usage, idlePercent, othersPercent } = roads[name];
    const all = processKinds.reduce(
      (sum, kind) => ({ cpuUs: sum.cpuUs + usage[kind].cpuUs, switches: sum.switches + usage[kind].switches }),
      { cpuUs: 0, switches: 0 },
    );
    const cell = ({ cpuUs, switches }: { cpuUs: number; switches: number }) =>
      `${cpuUs.toFixed(0)} (${switches.toFixed(1)})`;
    return [
      String(inFlight),
      name,
      ...processKinds.map((kind) => cell(usage[kind])),
      cell(all),
      `${idlePercent.toFixed(0)} %`,
      `${othersPercent.toFixed(0)} %`,
    ];
  });
}
