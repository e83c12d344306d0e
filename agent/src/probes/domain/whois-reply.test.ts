import t from 'tap';
import { datesIn } from './rdap-reply.js';
import { bareRegistration } from './registration.js';
import { retryAfterSeconds } from './retry-after.js';
import { dateReader } from './whois-date.js';
import { referredServer } from './whois-referral.js';
import { readWhois } from './whois-reply.js';

// Records as registries write them, shortened; none has a zone unless it is written.
const answers: [domain: string, text: string, expiresAt: string | null][] = [
  [
    'example.com',
    '   Domain Name: EXAMPLE.COM\r\n   Registry Expiry Date: 2026-08-13T04:00:00Z\r\n',
    '2026-08-13T04:00',
  ],
  ['example.com', 'Registrar Registration Expiration Date: 2026-08-13T04:00:00+0200\n', '2026-08-13T02:00'],
  [
    'example.com',
    'Registrar Registration Expiration Date: 2027-01-01T00:00:00Z\nRegistrar: X\nRegistry Expiry Date: 2028-08-13T04:00:00Z\n',
    '2028-08-13T04:00',
  ],
  ['example.cn', 'Domain Name: example.cn\nExpiration Time: 2027-03-17 12:48:36\n', '2027-03-17T12:48'],
  ['example.ru', 'domain: EXAMPLE.RU\nfree-date: 2027-03-04\npaid-till: 2027-01-31T21:00:00Z\n', '2027-01-31T21:00'],
  ['example.uk', '    Relevant dates:\r\n        Expiry date:  14-Feb-2027\r\n', '2027-02-14T00:00'],
  ['example.fr', 'domain: example.fr\nExpiry Date: 2027-02-14T09:17:31Z\n', '2027-02-14T09:17'],
  ['example.se', 'domain: example.se\nexpires:          2027-12-31\n', '2027-12-31T00:00'],
  ['example.cz', 'domain:       example.cz\nexpire:       14.03.2027\n', '2027-03-14T00:00'],
  ['example.com.br', 'domain: example.com.br\nexpires:     20270709\n', '2027-07-09T00:00'],
  ['example.fi', 'domain.............: example.fi\nexpires............: 31.8.2027 00:00:00\n', '2027-08-31T00:00'],
  ['example.jp', '[Domain Name]   EXAMPLE.JP\n[有効期限]                      2027/03/31\n', '2027-03-31T00:00'],
  [
    'example.or.jp',
    'a. [Domain Name]                EXAMPLE.OR.JP\n[State]                         Connected (2027/07/31)\n[Last Update]                   2026/08/01 01:02:03 (JST)\n',
    '2027-07-31T00:00',
  ],
  [
    'example.ac.jp',
    'a. [ドメイン名]                 EXAMPLE.AC.JP\n[状態]                          Connected (2027/09/30)\n',
    '2027-09-30T00:00',
  ],
  ['example.tw', '   Record expires on 2027-05-31 (YYYY-MM-DD)\n', '2027-05-31T00:00'],
  [
    'example.mo',
    'Domain Name: EXAMPLE.MO\n Record created on 2003-07-10\n Record expires on 2027-11-09\n',
    '2027-11-09T00:00',
  ],
  [
    'example.hk',
    'Domain Name:  EXAMPLE.HK\nDomain Name Commencement Date: 02-05-2001\nExpiry Date: 03-04-2027\n',
    '2027-04-03T00:00',
  ],
  [
    'example.kr',
    'Domain Name                 : example.kr\nRegistered Date             : 2001. 02. 03.\nExpiration Date             : 2027. 11. 30.\n',
    '2027-11-30T00:00',
  ],
  [
    'example.kr',
    '도메인이름                  : example.kr\n등록일                      : 2001. 02. 03.\n사용 종료일                 : 2027. 11. 30.\n',
    '2027-11-30T00:00',
  ],
  [
    'example.com.tr',
    '** Domain Name: example.com.tr\nCreated on..............: 2001-Feb-03.\nExpires on..............: 2027-Oct-04.\n',
    '2027-10-04T00:00',
  ],
  [
    'example.kg',
    'Domain EXAMPLE.KG (ACTIVE)\n\nRecord created: Sat Feb 03 10:00:00 2001\nRecord expires on: Wed Oct  6 23:59:00 2027\n',
    '2027-10-06T23:59',
  ],
  [
    'example.is',
    'domain:       example.is\ncreated:      February  3 2001\nexpires:      October 12 2027\n',
    '2027-10-12T00:00',
  ],
  [
    'example.co.il',
    'query:        example.co.il\ndomain:       example.co.il\nvalidity:     05-04-2027\n',
    '2027-04-05T00:00',
  ],
  [
    'example.com.ua',
    'domain:           example.com.ua\ncreated:          2001-02-03 04:05:06+02\nexpires:          2027-12-04 00:30:00+02\n',
    '2027-12-03T22:30',
  ],
  ['example.im', 'Domain Name: example.im\nExpiry Date: 09/10/2027 00:59:56\n', '2027-10-09T00:59'],
  [
    'example.cr',
    'domain:       example.cr\nregistered:   03.02.2001 09:26:15\nexpire:       04.01.2027\n',
    '2027-01-04T00:00',
  ],
  [
    'example.pl',
    'DOMAIN NAME:           example.pl\nrenewal date:          2027.09.18 14:00:00\noption expiration date:2030.01.01 00:00:00\n',
    '2027-09-18T14:00',
  ],
  [
    'example.rs',
    'Domain name: example.rs\nRegistration date: 10.03.2008 12:31:19\nExpiration date: 10.03.2027 12:31:19\n',
    '2027-03-10T12:31',
  ],
  [
    'example.pt',
    'Domain: example.pt\nCreation Date: 09/01/2003 00:00:00\nExpiration Date: 11/10/2027 23:59:00\n',
    '2027-10-11T23:59',
  ],
  [
    'example.co.th',
    'Domain Name:    EXAMPLE.CO.TH\nCreated date:   03 Feb 2001\nExp date:       07 Oct 2027\n',
    '2027-10-07T00:00',
  ],
  ['example.in.th', 'Domain Name: EXAMPLE.IN.TH\nExp date: 29 Feb 2571\n', '2028-02-29T00:00'],
  ['example.ir', 'domain:\t\texample.ir\nlast-updated:\t2026-12-01\nexpire-date:\t2027-12-22\n', '2027-12-22T00:00'],
  ['example.ir', 'domain:\t\texample.ir\nexpire-date:\t1406-10-01\n', '2027-12-22T00:00'],
  ['example.af', 'Domain Name: example.af\nExpiry Date: 1403-12-30\n', '2025-03-20T00:00'],
  ['example.tm', 'Domain : example.tm\nStatus : Client Updt+Delt Lock\nExpiry : 2027-07-09\n', '2027-07-09T00:00'],
  [
    'example.edu',
    'Domain Name: EXAMPLE.EDU\nDomain record activated:    03-Feb-2001\nDomain expires:             31-Jul-2027\n',
    '2027-07-31T00:00',
  ],
  [
    'example.sk',
    'Domain:                       example.sk\nValid Until:                  2027-07-24\n',
    '2027-07-24T00:00',
  ],
  [
    'example.md',
    'Domain  name    example.md\nRegistered on   2001-02-03\nExpires    on   2027-05-03\n',
    '2027-05-03T00:00',
  ],
  [
    'example.co.nz',
    'domain_name: example.co.nz\ndomain_datebilleduntil: 2027-05-31T00:00:00+12:00\n',
    '2027-05-30T12:00',
  ],
  ['example.bg', 'DOMAIN NAME: example.bg\nexpires at: 02/03/2027 00:00:00 EET\n', '2027-03-01T22:00'],
  [
    'example.cl',
    'Domain name: example.cl\nCreation date: 2001-02-03 14:00:00 CLST\nExpiration date: 2027-02-03 14:00:00 CLST\n',
    '2027-02-03T17:00',
  ],
  [
    'example.ee',
    'name:       example.ee\nregistered: 2001-02-03 04:05:06 +02:00\nexpire:     2027-02-04\ndelete:     2027-03-21\n',
    '2027-02-04T00:00',
  ],
  [
    'example.uz',
    'Domain Name: EXAMPLE.UZ\nCreation Date: 03-feb-2001\nExpiration Date: 03-feb-2027\n',
    '2027-02-03T00:00',
  ],
  ['example.my', 'a [Domain Name]     example.my\nf [Record Expired]  15-Jul-2027\n', '2027-07-15T00:00'],
  [
    'example.co.ve',
    'Nombre de Dominio: example.co.ve\nFecha de Vencimiento: 2027-02-03 04:05:06\n',
    '2027-02-03T04:05',
  ],
  ['example.it', 'Domain:             example.it\nExpire Date:        2027-02-03\n', '2027-02-03T00:00'],
  ['example.sg', 'Domain Name:\t\tEXAMPLE.SG\nExpiration Date:\t\t03-Feb-2027 23:59:59\n', '2027-02-03T23:59'],
  ['example.es', 'Dominio: example.es\nFecha de Vencimiento: 10 de septiembre de 2027\n', '2027-09-10T00:00'],
  ['example.it', 'Domain: example.it\nExpire Date: 31 maggio 2027\n', '2027-05-31T00:00'],
  ['example.nl', 'Domain name: example.nl\nExpiration Date: 1 maart 2027\n', '2027-03-01T00:00'],
  ['example.id', 'Domain Name: EXAMPLE.ID\nExpiration Date: 17-Agustus-2027\n', '2027-08-17T00:00'],
  ['example.ru', 'domain: EXAMPLE.RU\npaid-till: 31 мая 2027\n', '2027-05-31T00:00'],
  ['example.ke', 'Domain Name: example.ke\nCreation Date: 03-FEB-99\nExpiry Date: 31-DEC-27\n', '2027-12-31T00:00'],
  ['example.com', 'Domain Name: example.com\nExpires: 20270203T235959Z\n', '2027-02-03T23:59'],
  ['example.us', 'Domain Name: EXAMPLE.US\nExpires On: Feb 3rd, 2027 11:05 PM EST\n', '2027-02-04T04:05'],
  ['example.com', 'Domain Name: example.com\nCreated: 02/13/2001\nExpires: 03/04/2027\n', '2027-03-04T00:00'],
  ['example.ug', 'Domain: example.ug\nRegistered: 02/13/2001\nExpiry: 03/04/2027\n', '2027-03-04T00:00'],
  ['example.bo', 'Nombre de dominio: example.bo\nFecha de corte: 2027-02-03\n', '2027-02-03T00:00'],
  ['example.hm', 'Domain Name: example.hm\nDomain expires 14 Feb 2027\n', '2027-02-14T00:00'],
  ['example.tk', 'Domain registered: 08/14/2001\nRecord will expire on: 03/04/2027\n', '2027-03-04T00:00'],
  ['example.kz', 'Domain Name............: example.kz\nDomain created: 2001-02-03 13:01:43 (GMT+0:00)\n', null],
  [
    'example.co.jp',
    'a. [Domain Name]  EXAMPLE.CO.JP\n[State]  Deleted (2026/03/31)\n[Last Update]  2026/04/01\n',
    null,
  ],
  // of these, which number is the day cannot be determined
  ['example.com', 'Domain Name: example.com\nCreated: 02/03/2001\nExpires: 03/04/2027\n', null],
  ['example.us', 'Domain Name: example.us\nExpires: 03/04/2027\n', null],
  ['example.tk', 'Domain Name: EXAMPLE.TK\nRecord will expire on: 03/04/2027\n', null],
  ['example.com', 'Domain Name: example.com\nCreated: 13/02/2001\nUpdated: 02/13/2020\nExpires: 03/04/2027\n', null],
  ['example.com', 'Registry Expiry Date: 2027-02-30\nDomain Name: example.com\n', null],
  ['example.de', 'Domain: example.de\nStatus: connect\n', null],
  // ends of something else
  [
    'example.cz',
    'domain: example.cz\nkeyset expires: 2027-01-01\nfree-date: 2027-01-02\nLast renewed: 2026-01-01\n',
    null,
  ],
];

t.test('the date of expiry is read as the registries write it, in any zone of the node', async (t) => {
  const zone = process.env['TZ'];
  t.teardown(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  for (const nodeZone of ['UTC', 'America/Los_Angeles', 'Asia/Tokyo']) {
    process.env['TZ'] = nodeZone;
    const { expires_at: byRdap } = datesIn([{ eventAction: 'expiration', eventDate: '2027-02-03T04:05:06' }]);
    t.equal(byRdap, '2027-02-03T04:05:06.000Z', 'also by RDAP, whose dates should have a zone');
    t.equal(retryAfterSeconds('Sun Nov  6 08:49:37 1994', Date.UTC(1994, 10, 6, 8, 49)), 37, 'and in HTTP');
    for (const [domain, text, expiresAt] of answers) {
      const found = readWhois(text, domain);
      const at = found?.expires_at?.slice(0, 16) ?? null;
      if (found?.registered !== true || at !== expiresAt)
        t.strictSame([at, found?.registered], [expiresAt, true], `${nodeZone}: ${text}`);
    }
  }
  t.pass('all are read');
});

t.test('a record in an unfamiliar form is a record if it names the domain and has data', async (t) => {
  const records: [domain: string, text: string, more: object][] = [
    [
      'example.tr',
      '** Domain Name: example.tr\n** Registrar:\nOrganization Name\t: X\nCreated on..............: 2001-Feb-03.\n',
      { registered_at: '2001-02-03T00:00:00.000Z' },
    ],
    [
      'example.kg',
      'Domain EXAMPLE.KG (ACTIVE)\n\nRecord created: Sat Feb 03 10:00:00 2001\n',
      { registered_at: '2001-02-03T10:00:00.000Z' },
    ],
    [
      'example.co.jp',
      'a. [Domain Name]                EXAMPLE.CO.JP\n[Registered Date]  2001/02/03\n',
      { registered_at: '2001-02-03T00:00:00.000Z' },
    ],
    ['example.md', 'Domain  name    example.md\nRegistrar: X\n', { registrar: 'X' }],
    [
      'example.hk',
      'Domain Name:  EXAMPLE.HK\nDomain Name Commencement Date: 02-05-2001\n',
      { registered_at: '2001-05-02T00:00:00.000Z' },
    ],
    [
      'example.edu',
      'Domain Name: EXAMPLE.EDU\nDomain record activated:    04-Oct-1985\nDomain record last updated: 25-May-2026\n',
      { registered_at: '1985-10-04T00:00:00.000Z', updated_at: '2026-05-25T00:00:00.000Z' },
    ],
    ['example.zz', 'Objekt: example.zz\nHolder: X\nStand: ok\n', {}],
    ['example.zz', 'nombre: example.zz\nnserver: ns1.example.net\n', { name_servers: ['ns1.example.net'] }],
  ];
  for (const [domain, text, more] of records)
    t.match(readWhois(text, domain), { registered: true, expires_at: null, ...more }, text);
  const others = [
    'Domain Name: OTHER.ZZ\nA: 1\nB: 2\nC: 3\n',
    'a: my-example.zz\nb: example.zz.other\nc: x@example.zz\n',
    '% example.zz\nA: 1\nB: 2\nC: 3\n',
    'limit exceeded for example.zz\n',
  ];
  for (const text of others) t.equal(readWhois(text, 'example.zz'), null, text);
});

t.test('an unregistered name is distinguished from a response without data', async (t) => {
  const free = [
    'No match for domain "EXAMPLE.COM".\r\n',
    'NOT FOUND\n',
    '% No entries found for the selected source(s).\n',
    'Domain: example.de\nStatus: free\n',
    'The queried object does not exist: no such domain\n',
    'No Data Found\nURL of the ICANN form: x\n',
    'The domain has not been registered.\n',
    '% No data was found to match the request criteria.\n',
    'Data not found. This domain is available for registration.\n',
    'Domain example.tm is available for purchase\n',
    'No_Se_Encontro_El_Objeto/Object_Not_Found\n',
  ];
  for (const text of free) t.strictSame(readWhois(text, 'example.com'), bareRegistration(false), text);
  const nothing = [
    'The domain was not found, as the query limit is exceeded: try again later\n',
    `${'A notice.\n'.repeat(6)}Data of a domain that is not registered is not shown.\n`,
    '',
    'limit exceeded, retry later',
    'Domain Name: OTHER.COM\n',
    'we found no match for your taste\n',
  ];
  for (const text of nothing) t.equal(readWhois(text, 'example.com'), null, text);
});

t.test('dates are read in the known forms, and in no others', async (t) => {
  const none = ['', 'never', '2027', '2027-13-01', '32.01.2027', '14-Foo-2027', '99999999', '0000-00-00', '1027-01-01'];
  for (const text of none) t.equal(dateReader('')(text), null, text);
  t.equal(dateReader('')('1st of March, 2027'), '2027-03-01T00:00:00.000Z');
  t.equal(dateReader('')('2027年3月1日 1:02'), '2027-03-01T01:02:00.000Z');
  t.equal(dateReader('')('20270301040506'), '2027-03-01T04:05:06.000Z');
});

t.test('the root of WHOIS refers to a host, and to nothing else', async (t) => {
  t.equal(referredServer('domain: COM\n\nwhois:        whois.verisign-grs.com\n'), 'whois.verisign-grs.com');
  t.equal(referredServer('refer:        whois.denic.de\n'), 'whois.denic.de');
  for (const text of ['whois:\n\nstatus: ACTIVE\n', 'whois: a b\n', 'whois: x@y\n', ''])
    t.equal(referredServer(text), null);
});
