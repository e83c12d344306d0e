import t from 'tap';
import { HOME_OF_ACCOUNTS, safeNext } from './next.js';

const publicUrl = 'https://vantage.example';

t.test('a sign-in leads to the pages of this site that need one, with their query', async (t) => {
  for (const next of ['/account/security', '/qr', '/console', '/console/monitors?state=down', '/oauth/consent?a=1&b=2'])
    t.equal(safeNext(next, publicUrl), next);
  t.equal(safeNext('/account/x/../security#there', publicUrl), '/account/security');
});

t.test('it leads nowhere else, whatever the address says', async (t) => {
  for (const next of [
    null,
    '',
    '/',
    '/docs',
    '/consolex',
    '/qrcode',
    '/v1/auth/logout',
    'https://evil.example/account/security',
    '//evil.example/account/security',
    '/\\evil.example/account/security',
    '\\\\evil.example/console',
    '/account/\\evil.example',
    'javascript:alert(1)//console',
    'data:text/html,/console',
    '/account/../docs',
    '/account/%2e%2e/docs',
    '/account/security\r\nSet-Cookie: a=b',
    '\t//evil.example/console',
    '/\t/evil.example/console',
    ' /console',
    'console',
    'https:/console',
    'https:evil.example',
    '/@evil.example/console',
    `/console?${'a'.repeat(2_000)}`,
  ])
    t.equal(safeNext(next, publicUrl), HOME_OF_ACCOUNTS, JSON.stringify(next));
});
