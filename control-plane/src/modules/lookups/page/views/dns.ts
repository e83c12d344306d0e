import type { Pill } from '../../../../http/pages/pill-html.js';
import type { DnsAnswer } from '../../kinds/dns.js';
import { countryName } from '../../kinds/ip.js';
import { type AnswerView, listText } from '../answer-view.js';
import type { Words } from '../words.js';

/** Records of a name. */
export function dnsView(data: DnsAnswer, words: Words): AnswerView {
  const { label, duration, locale } = words;
  const { rcode, records, errors, node, authenticated_data: isSigned } = data;
  // an alias leads to records of other names
  const areOther = records.some(({ name }) => name !== data.domain);
  const country = node.country === null ? null : (countryName(node.country, locale) ?? node.country);
  return {
    verdicts: [verdictOf(rcode, words)],
    note: null,
    parts: [
      {
        kind: 'table',
        title: label('records'),
        head: [label('type'), ...(areOther ? [label('name')] : []), label('value'), label('ttl')],
        rows: records.map(({ type, name, value, ttl }) => [type, ...(areOther ? [name] : []), value, duration(ttl)]),
      },
      {
        kind: 'values',
        rows: [
          [label('dnssec'), isSigned === null ? null : label(isSigned ? 'validated' : 'notValidated')],
          [label('failedTypes'), listText(errors.map(({ type, code }) => `${type} (${code})`))],
          [label('askedFrom'), listText([country, node.asn === null ? null : `AS${node.asn}`])],
        ],
      },
    ],
  };
}

function verdictOf(rcode: string | null, { label }: Words): Pill {
  if (rcode === 'NOERROR') return { look: 'good', word: label('exists') };
  return rcode === 'NXDOMAIN'
    ? { look: 'warn', word: label('missing') }
    : { look: 'bad', word: rcode ?? label('noResponse') };
}
