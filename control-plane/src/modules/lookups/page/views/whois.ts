import type { Pill } from '../../../../http/pages/pill-html.js';
import { countryName } from '../../kinds/ip.js';
import type { WhoisAnswer } from '../../kinds/whois.js';
import { type AnswerView, listText, type Row } from '../answer-view.js';
import type { Words } from '../words.js';

/** Time before the end of a registration in which it is marked, in milliseconds. */
const SOON_MS = 30 * 86_400_000;

/** Registration of a domain, or of the network of an address. */
export function whoisView(data: WhoisAnswer, words: Words, nowMs: number): AnswerView {
  const rows = data.kind === 'address' ? networkRows(data, words) : domainRows(data, words);
  return { verdicts: verdictsOf(data, words, nowMs), note: null, parts: [{ kind: 'values', rows }] };
}

function verdictsOf({ registered, expires_at }: WhoisAnswer, { label, until }: Words, nowMs: number): Pill[] {
  if (registered === null) return [];
  if (!registered) return [{ look: 'none', word: label('notRegistered') }];
  const is: Pill = { look: 'good', word: label('registered') };
  if (expires_at === null) return [is];
  const leftMs = Date.parse(expires_at) - nowMs;
  return [
    is,
    {
      look: leftMs < 0 ? 'bad' : leftMs < SOON_MS ? 'warn' : 'good',
      word: `${label('expires')}: ${until(expires_at)}`,
    },
  ];
}

function domainRows(data: WhoisAnswer, words: Words): Row[] {
  const { label, date, locale } = words;
  const { registrant_country: country, dnssec_signed: isSigned } = data;
  return [
    [label('domain'), listText([...new Set([data.unicode_domain, data.domain])])],
    [label('expires'), date(data.expires_at)],
    [label('registrar'), data.registrar],
    [label('registeredAt'), date(data.registered_at)],
    [label('updatedAt'), date(data.updated_at)],
    [label('nameServers'), listText(data.name_servers)],
    [label('status'), listText(data.status)],
    [label('dnssec'), isSigned === null ? null : label(isSigned ? 'signed' : 'notSigned')],
    [label('holder'), data.registrant_organization],
    [label('country'), country === null ? null : (countryName(country, locale) ?? country)],
    [label('abuse'), listText([data.registrar_abuse_email, data.registrar_abuse_phone])],
    [label('source'), sourceText(data)],
  ];
}

function networkRows(data: WhoisAnswer, { label, date, locale }: Words): Row[] {
  const { network, registered_at: registeredAt, updated_at: updatedAt, status } = data;
  const country = network?.country ?? null;
  return [
    [label('holder'), network?.organization ?? null],
    [label('network'), network?.name ?? null],
    [label('range'), listText(network?.cidrs ?? []) ?? network?.handle ?? null],
    [label('country'), country === null ? null : (countryName(country, locale) ?? country)],
    [label('abuse'), network?.abuse_email ?? null],
    [label('registeredAt'), date(registeredAt)],
    [label('updatedAt'), date(updatedAt)],
    [label('status'), listText(status)],
    [label('source'), sourceText(data)],
  ];
}

function sourceText({ source }: WhoisAnswer): string | null {
  return source === null ? null : `${source.server} (${source.protocol.toUpperCase()})`;
}
