import { countryName } from '../../kinds/ip.js';
import type { ReputationAnswer } from '../../reputation/schema.js';
import { signals } from '../../reputation/signals.js';
import { type AnswerView, listText } from '../answer-view.js';
import type { Words } from '../words.js';

const looks = { low: 'good', medium: 'warn', high: 'bad' } as const;

/** Reputation of an address or a domain. */
export function reputationView(data: ReputationAnswer, { label, locale, yesNo }: Words): AnswerView {
  const { score, risk_level: level, note, evidence, blocklists, addresses, coverage } = data;
  const country = data.country === null ? null : (countryName(data.country, locale) ?? data.country);
  const missing = signals.filter((signal) => !coverage.includes(signal));
  return {
    verdicts: [{ look: note === null ? looks[level] : 'none', word: `${score}/100 · ${label(level)}` }],
    note,
    parts: [
      {
        kind: 'table',
        title: label('evidence'),
        head: [label('signal'), label('source'), label('weight')],
        rows: evidence.map(({ signal, description, weight }) => [label(signal), description, String(weight)]),
      },
      {
        kind: 'values',
        rows: [
          [label('address'), data.ip],
          [label('type'), listText(data.types.map((type) => label(type)))],
          [label('place'), listText([data.city, country])],
          [label('network'), listText([data.asn, data.isp], ' ')],
          [label('coverage'), listText(coverage.map((signal) => label(signal)))],
          [label('missingLists'), listText(missing.map((signal) => label(signal)))],
          [label('databases'), listText(data.sources.map(({ name, built_at: at }) => `${name} (${at.slice(0, 10)})`))],
        ],
      },
      {
        kind: 'table',
        title: label('blocklists'),
        head: [label('zone'), label('listed'), label('code')],
        rows: blocklists.map(({ zone, listed, code }) => [zone, yesNo(listed) ?? label('unknown'), code ?? '-']),
      },
      {
        kind: 'table',
        title: label('addresses'),
        head: [label('address'), label('score')],
        rows: addresses.length > 1 ? addresses.map((one) => [one.ip, String(one.score)]) : [],
      },
    ],
  };
}
