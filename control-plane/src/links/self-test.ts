import type { DecodedAgentFrame } from '@vantage/shared/protocol/codec.js';
import { type SelfTestReport, selfTestNames, selfTestStatuses } from '@vantage/shared/self-test.js';

/** A self-test as it came over the link. */
export type SelfTestMessage = NonNullable<NonNullable<DecodedAgentFrame['heartbeat']>['selfTest']>;

const MAX_DETAIL_LENGTH = 200;

/** The checks this build knows, each once; a node may say anything. */
export function parseSelfTest({ finishedAtMs, checks }: SelfTestMessage): SelfTestReport {
  const known = selfTestNames.flatMap((name) => {
    const check = checks.find((candidate) => candidate.name === name);
    const status = selfTestStatuses.find((word) => word === check?.status);
    if (check === undefined || status === undefined) return [];
    return [{ name, status, detail: printable(check.detail) }];
  });
  return { finishedAt: Math.min(Math.max(0, finishedAtMs), 8.64e15), checks: known };
}

function printable(text: string): string {
  return text.slice(0, MAX_DETAIL_LENGTH).replace(/[\p{Cc}\p{Cs}]/gu, ' ');
}
