import { type CheckDays, checkDayClasses } from '../db/partitions.js';

/** The one list of plans. */
export const planNames = ['anonymous', 'free', 'pro', 'business', 'unlimited'] as const;
export type PlanName = (typeof planNames)[number];

/** A number of every plan; null = unlimited. */
interface PlanNumber<T extends number | null> {
  /** Phrase for API documents. */
  readonly about: string;
  /** The smallest value that VANTAGE_PLANS may give. */
  readonly least: number;
  /** The only values there may be; absent: any integer, and null. */
  readonly choices?: readonly number[];
  /** In the order of `planNames`. */
  readonly values: readonly [T, T, T, T, T];
}

const count = (number: PlanNumber<number | null>) => number;
const choice = <T extends number>(number: PlanNumber<T> & { readonly choices: readonly T[] }) => number;

/**
 * The one table of what plans allow. The type of a plan, VANTAGE_PLANS, GET /v1/account/limits and the documents derive from it.
 * API specification 8.
 */
export const planNumbers = {
  requests_per_minute: count({
    about: 'Requests per minute, of all keys, tokens and sessions together',
    least: 1,
    values: [30, 60, 300, 1_200, null],
  }),
  node_tests_per_day: count({
    about: 'Probes times the nodes they run on, per day from midnight UTC',
    least: 0,
    values: [250, 1_000, 20_000, 200_000, null],
  }),
  monitors: count({ about: 'Monitors', least: 0, values: [0, 10, 100, 1_000, null] }),
  min_interval_s: count({
    about: 'Shortest interval between two checks of a monitor, in seconds',
    least: 10,
    values: [null, 60, 30, 10, null],
  }),
  nodes: count({
    about: 'Nodes, and also open enrollment tokens; as many nodes may be enrolled per hour, at least 10',
    least: 0,
    values: [0, 5, 50, 500, null],
  }),
  sms_per_month: count({
    about: 'Text messages to alert channels per month from midnight UTC of its first day, codes included',
    least: 0,
    values: [0, 0, 100, 1_000, null],
  }),
  voice_per_month: count({
    about: 'Calls to alert channels per month from midnight UTC of its first day, codes included',
    least: 0,
    values: [0, 0, 20, 200, null],
  }),
  reputation_per_month: count({
    about:
      'IP reputation checks per month from midnight UTC of its first day; without credentials a limit of the address applies instead',
    least: 0,
    values: [null, 1_000, 20_000, 200_000, null],
  }),
  check_days: choice<CheckDays>({
    about: 'Days for which single checks of monitors are kept',
    least: 7,
    choices: checkDayClasses,
    values: [7, 7, 30, 90, 90],
  }),
} as const;

export type PlanNumberName = keyof typeof planNumbers;
export const planNumberNames = Object.keys(planNumbers) as PlanNumberName[];

export type Plan = { readonly [N in PlanNumberName]: (typeof planNumbers)[N]['values'][number] };
export type Plans = Readonly<Record<PlanName, Plan>>;

/** Plans as they are unless VANTAGE_PLANS says otherwise. */
export const defaultPlans: Plans = Object.fromEntries(
  planNames.map((plan, index) => [
    plan,
    Object.fromEntries(planNumberNames.map((name) => [name, planNumbers[name].values[index]])),
  ]),
) as unknown as Plans;
