interface ChallengeMark {
  readonly product: string;
  readonly header?: string;
  readonly value?: RegExp;
  readonly body?: RegExp;
  readonly source: string;
}

/**
 * Marks of pages that examine the visitor instead of showing the site. Scripts that these products also add to ordinary
 * pages are not marks.
 */
export const challengeMarks: readonly ChallengeMark[] = [
  {
    product: 'Cloudflare',
    header: 'cf-mitigated',
    value: /^challenge$/i,
    source: 'https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response',
  },
  {
    product: 'Cloudflare',
    body: /window\._cf_chl_opt\s*=/,
    source: 'https://developers.cloudflare.com/cloudflare-challenges/concepts/how-challenges-work',
  },
  {
    product: 'AWS WAF',
    header: 'x-amzn-waf-action',
    value: /^(?:challenge|captcha)$/i,
    source: 'https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html',
  },
  {
    product: 'Vercel',
    header: 'x-vercel-mitigated',
    value: /^challenge$/i,
    source: 'https://vercel.com/docs/vercel-firewall/attack-challenge-mode',
  },
  {
    product: 'SiteGround',
    header: 'sg-captcha',
    value: /^challenge$/i,
    source: 'https://www.siteground.com/kb/',
  },
  {
    product: 'Imperva',
    body: /<iframe[^<>]{1,500}src="\/_Incapsula_Resource\?/,
    source: 'https://docs.imperva.com/bundle/cloud-application-security/page/settings/captcha.htm',
  },
  {
    product: 'DataDome',
    body: /https:\/\/(?:geo\.captcha-delivery\.com|ct\.captcha-delivery\.com)\//,
    source: 'https://docs.datadome.co/docs/response-pages',
  },
  {
    product: 'DDoS-Guard',
    body: /\/\.well-known\/ddos-guard\/js-challenge/,
    source: 'https://ddos-guard.net/',
  },
  {
    product: 'Anubis',
    body: /<script id="anubis_challenge"/,
    source: 'https://anubis.techaro.lol/docs/',
  },
];

/** True if a response examines the visitor instead of showing the site, by headers (names in lower case) or text. */
export function isChallengePage(headers: Readonly<Record<string, string>>, body: string | undefined): boolean {
  return challengeMarks.some((mark) => {
    if (mark.body !== undefined) return body !== undefined && mark.body.test(body);
    const found = headers[mark.header ?? ''];
    return found !== undefined && (mark.value?.test(found) ?? true);
  });
}
