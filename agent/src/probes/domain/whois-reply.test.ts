import t from 'tap';
import { bareRegistration } from './registration.js';
import { parseWhoisDate } from './whois-date.js';
import { referredServer } from './whois-referral.js';
import { readWhois } from './whois-reply.js';

// Each line as its registry writes it; what stands around them is shortened.
const answers: [string, string, string | null][] = [
  [
    '.com',
    '   Domain Name: EXAMPLE.COM\r\n   Registry Expiry Date: 2026-08-13T04:00:00Z\r\n',
    '2026-08-13T04:00:00.000Z',
  ],
  ['.com, thick', 'Registrar Registration Expiration Date: 2026-08-13T04:00:00+0200\n', '2026-08-13T02:00:00.000Z'],
  ['.cn', 'Domain Name: example.cn\nExpiration Time: 2027-03-17 12:48:36\n', '2027-03-17T12:48:36.000Z'],
  [
    '.ru',
    'domain:        EXAMPLE.RU\npaid-till:     2027-01-31T21:00:00Z\nfree-date: 2027-03-04\n',
    '2027-01-31T21:00:00.000Z',
  ],
  ['.uk', '    Relevant dates:\r\n        Expiry date:  14-Feb-2027\r\n', '2027-02-14T00:00:00.000Z'],
  ['.fr', 'domain: example.fr\nExpiry Date: 2027-02-14T09:17:31Z\n', '2027-02-14T09:17:31.000Z'],
  ['.se', 'domain: example.se\nexpires:          2027-12-31\n', '2027-12-31T00:00:00.000Z'],
  ['.cz', 'domain:       example.cz\nexpire:       14.03.2027\n', '2027-03-14T00:00:00.000Z'],
  ['.br', 'domain: example.com.br\nexpires:     20270709\n', '2027-07-09T00:00:00.000Z'],
  ['.fi', 'domain.............: example.fi\nexpires............: 31.8.2027 00:00:00\n', '2027-08-31T00:00:00.000Z'],
  ['.jp', '[Domain Name]   EXAMPLE.JP\n[有効期限]                      2027/03/31\n', '2027-03-31T00:00:00.000Z'],
  ['.tw', '   Record expires on 2027-05-31 (YYYY-MM-DD)\n', '2027-05-31T00:00:00.000Z'],
  ['no such day', 'Registry Expiry Date: 2027-02-30\nDomain Name: example.com\n', null],
  ['.de', 'Domain: example.de\nStatus: connect\n', null],
];

t.test('the date of expiry is read as the registries write it', async (t) => {
  for (const [what, text, expiresAt] of answers) {
    const domain = what === '.de' ? 'example.de' : 'example.com';
    t.match(readWhois(text, domain), { registered: true, expires_at: expiresAt }, what);
  }
});

t.test('an unregistered name is distinguished from a response without data', async (t) => {
  const free = [
    'No match for domain "EXAMPLE.COM".\r\n',
    'NOT FOUND\n',
    '% No entries found for the selected source(s).\n',
    'Domain: example.de\nStatus: free\n',
    'The queried object does not exist: no such domain\n',
    'No Data Found\nURL of the ICANN form: x\n',
  ];
  for (const text of free) t.strictSame(readWhois(text, 'example.com'), bareRegistration(false), text);
  const nothing = ['', 'limit exceeded, retry later', 'Domain Name: OTHER.COM\n', 'we found no match for your taste\n'];
  for (const text of nothing) t.equal(readWhois(text, 'example.com'), null, text);
});

t.test('dates are read in the known forms, and in no others', async (t) => {
  const none = ['', 'never', '2027', '2027-13-01', '32.01.2027', '14-Foo-2027', '99999999', '0000-00-00', '1027-01-01'];
  for (const text of none) t.equal(parseWhoisDate(text), null, text);
});

t.test('the root of WHOIS refers to a host, and to nothing else', async (t) => {
  t.equal(referredServer('domain: COM\n\nwhois:        whois.verisign-grs.com\n'), 'whois.verisign-grs.com');
  t.equal(referredServer('refer:        whois.denic.de\n'), 'whois.denic.de');
  for (const text of ['whois:\n\nstatus: ACTIVE\n', 'whois: a b\n', 'whois: x@y\n', ''])
    t.equal(referredServer(text), null);
});
