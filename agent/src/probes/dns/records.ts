import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import type { DnsRecord } from '../../net/dns/message.js';
import { isSameName } from '../../net/dns/name.js';
import { presentData } from './presentation.js';

type Records = ProbeResults['dns']['records'];

/** Records a result keeps, and characters of names and values in them: an answer over TCP may expand fivefold. */
const MAX_RECORDS = 1000;
const MAX_CHARACTERS = 96 * 1024;

/**
 * The records of an answer in its order, as many as a result keeps. Owners that are the name asked for are written as it
 * was given: servers repeat the letter case of the query.
 */
export function presentRecords(answers: readonly DnsRecord[], askedName: string): Records {
  const records: Records = [];
  let characters = 0;
  for (const answer of answers) {
    const { type, class: recordClass, ttl } = answer;
    const name = isSameName(answer.name, askedName) ? askedName : answer.name;
    const record = { name, type, class: recordClass, ttl, value: presentData(answer) };
    characters += record.name.length + record.value.length;
    if (records.length >= MAX_RECORDS || characters > MAX_CHARACTERS) break;
    records.push(record);
  }
  return records;
}
