import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import type { Answer } from 'dns-packet';
import { escapeName } from './escape.js';
import { presentClass, presentData, presentType } from './presentation.js';

type Records = ProbeResults['dns']['records'];

/** Records a result keeps, and characters of names and values in them: an answer over TCP may expand fivefold. */
const MAX_RECORDS = 1000;
const MAX_CHARACTERS = 96 * 1024;

/** The records of an answer in its order, as many as a result keeps. OPT is no record (RFC 6891 section 6.1.1). */
export function presentRecords(answers: readonly Answer[]): Records {
  const records: Records = [];
  let characters = 0;
  for (const answer of answers) {
    const value = answer.type === 'OPT' ? null : presentData(answer);
    if (answer.type === 'OPT' || value === null) continue;
    const record = {
      name: answer.name === '.' ? '.' : escapeName(answer.name),
      type: presentType(answer.type),
      class: presentClass(answer.class),
      ttl: answer.ttl ?? 0,
      value,
    };
    characters += record.name.length + record.value.length;
    if (records.length >= MAX_RECORDS || characters > MAX_CHARACTERS) break;
    records.push(record);
  }
  return records;
}
