/** Signals of a reputation and their weights, strongest first (API specification 2.7). */
export const signalWeights = { tor_exit: 85, vpn: 60, proxy: 50, abuse_asn: 30, hosting: 25 } as const;

export type Signal = keyof typeof signalWeights;

/** Every signal, strongest first. */
export const signals = Object.keys(signalWeights) as Signal[];

/** Kinds of lists: a signal each, and `residential`, which has no weight. */
export const listSignals = [...signals, 'residential'] as const;
export type ListSignal = (typeof listSignals)[number];

/** Weight of `hosting` next to tor_exit, vpn or proxy, which nearly always run in data centers. */
export const MASKED_HOSTING = 5;

/** Levels of risk and the score at which each begins, ascending. */
export const riskLevels = { low: 0, medium: 30, high: 70 } as const;
export type RiskLevel = keyof typeof riskLevels;

/** Types of an address, in the order in which they are listed. */
export const addressTypes = ['tor', 'vpn', 'proxy', 'hosting', 'residential'] as const;
export type AddressType = (typeof addressTypes)[number];

/** True if a text is the name of a signal. */
export function isSignal(text: string): text is Signal {
  return Object.hasOwn(signalWeights, text);
}

export function riskLevelOf(score: number): RiskLevel {
  if (score >= riskLevels.high) return 'high';
  return score >= riskLevels.medium ? 'medium' : 'low';
}

/** Signals that count, with their weights: vpn replaces proxy, and hosting weighs less next to stronger ones. */
export function weigh(found: ReadonlySet<Signal>): Map<Signal, number> {
  const isMasked = found.has('tor_exit') || found.has('vpn') || found.has('proxy');
  const weights = new Map<Signal, number>();
  for (const signal of signals) {
    if (!found.has(signal) || (signal === 'proxy' && found.has('vpn'))) continue;
    weights.set(signal, signal === 'hosting' && isMasked ? MASKED_HOSTING : signalWeights[signal]);
  }
  return weights;
}
