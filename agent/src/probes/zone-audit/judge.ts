import {
  MAX_FACT_ENTRIES,
  type ZoneFinding,
  type ZoneFindingCode,
  zoneFindingCodes,
} from '@vantage/shared/probe-types/zone-audit.js';
import type { ZoneFacts } from './facts.js';
import { mailJudges } from './judge-mail.js';
import { securityJudges } from './judge-security.js';
import { serverJudges } from './judge-servers.js';
import type { Judge } from './verdict.js';

/** A judge for every code, or it does not compile. */
const judges: Readonly<Record<ZoneFindingCode, Judge>> = { ...serverJudges, ...mailJudges, ...securityJudges };

/** Findings of a zone in the order of their codes, and the codes that cannot be judged. */
export function judgeZone(facts: ZoneFacts): { findings: ZoneFinding[]; unjudged: ZoneFindingCode[] } {
  const findings: ZoneFinding[] = [];
  const unjudged: ZoneFindingCode[] = [];
  for (const code of zoneFindingCodes) {
    const verdict = judges[code](facts);
    if (verdict === 'unknown') unjudged.push(code);
    else if (verdict !== 'ok') findings.push({ code, facts: bounded(verdict) });
  }
  return { findings, unjudged };
}

function bounded(facts: ZoneFinding['facts']): ZoneFinding['facts'] {
  const entries = Object.entries(facts);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, MAX_FACT_ENTRIES) : value]),
  );
}
