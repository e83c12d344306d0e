import type { ZoneFinding } from '@vantage/shared/probe-types/zone-audit.js';
import type { ZoneFacts } from './facts.js';

/** Facts of a finding; `ok` without one; `unknown` where the observations do not suffice. */
export type Verdict = ZoneFinding['facts'] | 'ok' | 'unknown';

/** Judge of one code; pure. */
export type Judge = (facts: ZoneFacts) => Verdict;
