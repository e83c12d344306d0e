import type { Canary, SelfTestCheck } from '@vantage/shared/self-test.js';
import type { ClockEstimate } from '../link/clock-sync.js';

/** Answer of a canary over one address family. */
export interface CanaryAnswer {
  readonly canary: Canary;
  /** Code of the failure; null if it answered. */
  readonly code: string | null;
}

/** Codes that say nothing of this node's network: the name has no such address, or the probe was not measured. */
const silentCodes = new Set(['dns_nodata', 'overload', 'cancelled', 'internal', 'not_supported', 'target_not_allowed']);
/** A clock further off is worth a word; results are corrected all the same. */
const CLOCK_TOLERANCE_MS = 1000;

/** True if an answer says anything of this node's network. */
export function isConclusive({ code }: CanaryAnswer): boolean {
  return code === null || !silentCodes.has(code);
}

/**
 * Judges whether the node reaches its part of the world over a family: one canary that answers is enough, with or without a
 * default route; without an answer from any, a missing route is enough to fail.
 */
export function judgeFamily(family: 4 | 6, hasRoute: boolean, answers: readonly CanaryAnswer[]): SelfTestCheck {
  const name = family === 4 ? 'ipv4' : 'ipv6';
  const conclusive = answers.filter(isConclusive);
  const good = conclusive.find(({ code }) => code === null);
  if (good !== undefined) return { name, status: 'ok', detail: `${good.canary.text} answers` };
  if (!hasRoute) return { name, status: 'failed', detail: `no default route over IPv${family}` };
  if (conclusive.length === 0) return { name, status: 'unknown', detail: 'has a route, but no canary to test it with' };
  const detail = conclusive.map(({ canary, code }) => `${canary.text}: ${code}`).join(', ');
  return { name, status: 'failed', detail: detail.slice(0, 200) };
}

/**
 * Judges whether the node's resolver responds: for a name that cannot exist (RFC 6761), a negative answer is a
 * response.
 */
export function judgeResolver(code: string | null): SelfTestCheck {
  const name = 'resolver';
  if (code === null || code === 'dns_nxdomain' || code === 'dns_nodata')
    return { name, status: 'ok', detail: 'answers' };
  if (silentCodes.has(code)) return { name, status: 'unknown', detail: `not tested: ${code}` };
  return { name, status: 'failed', detail: code };
}

/** Judges the clock as the control plane and the system see it. `isSynchronised` is null if the system does not say. */
export function judgeClockState(
  { offsetMs, uncertaintyMs }: ClockEstimate,
  isSynchronised: boolean | null,
): SelfTestCheck {
  const name = 'clock';
  const sync = { true: 'synchronised', false: 'not synchronised', null: 'synchronisation unknown' }[
    `${isSynchronised}`
  ];
  if (uncertaintyMs < 0) {
    const status = isSynchronised === null ? 'unknown' : isSynchronised ? 'ok' : 'failed';
    return { name, status, detail: `${sync}, not compared with the control plane` };
  }
  const side = offsetMs >= 0 ? 'behind' : 'ahead of';
  const isRight = Math.abs(offsetMs) <= CLOCK_TOLERANCE_MS + uncertaintyMs;
  const detail = `${sync}, ${Math.abs(Math.round(offsetMs))} ms ${side} the control plane`;
  return { name, status: isRight ? 'ok' : 'failed', detail };
}

/** Judges whether raw packets can be sent; echo alone is enough for pings. */
export function judgeIcmp(capabilities: readonly string[]): SelfTestCheck {
  const name = 'icmp';
  if (capabilities.includes('icmp')) return { name, status: 'ok', detail: 'raw sockets' };
  const detail = capabilities.includes('icmp_echo') ? 'echo only, raw sockets are not permitted' : 'not permitted';
  return { name, status: 'failed', detail };
}
