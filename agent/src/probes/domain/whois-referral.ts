import { MAX_RETRY_S } from './retry-after.js';
import { firstOf, linesOf } from './whois-lines.js';

/** Texts by which WHOIS servers refuse queries: those of RIPE, ARIN, Verisign, CNNIC, DENIC, Nominet and others. */
const refusals =
  /%ERROR:20[123]|(?:limit|quota|rate)s? (?:has been |was |is )?(?:exceeded|reached)|exceeded (?:the|your|our)? ?.{0,40}(?:limit|quota|rate)|too many (?:requests|queries|connections|simultaneous)|(?:query|rate|connection) (?:rate )?limit|queried (?:interval|too)|access (?:to .{0,40} )?(?:is |has been )?(?:denied|blocked|restricted)|(?:temporarily|permanently) (?:denied|blocked|banned)|blacklisted|slow down|(?:try|query) again (?:later|after|in)|55000000002/i;
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Refusal that a WHOIS response stands for, with the seconds to wait if it states them; null for other responses. */
export function whoisRefusal(text: string): { readonly retryAfterS: number | null } | null {
  const line = linesOf(text).find((one) => refusals.test(one));
  if (line === undefined) return null;
  const [, amount, unit = 's'] = /\b(\d{1,5}) ?(s|m|h)(?:ec(?:ond)?s?|in(?:ute)?s?|ours?)?\b/i.exec(text) ?? [];
  const seconds = Number(amount) * (unitSeconds[unit.toLowerCase()] ?? 1);
  return { retryAfterS: amount === undefined ? null : Math.min(seconds, MAX_RETRY_S) };
}

/** The server to which a WHOIS server refers, a host; null where it refers to none, or to another protocol or port. */
export function referredServer(text: string): string | null {
  return firstOf(
    linesOf(text),
    (line) =>
      /^(?:(?:whois|refer):\s*|ReferralServer:\s*whois:\/\/)([a-z0-9.-]{1,253})(?::43)?\/?$/i
        .exec(line)?.[1]
        ?.toLowerCase() ?? null,
  );
}
