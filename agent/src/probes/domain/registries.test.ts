import t from 'tap';
import { aCard, refersTo, startRegistries } from '../../../test/_support/registries.js';

// Answers in the shapes of ten registries. Whatever is a person's has `personal` or the number 5550199 in it.

const aPerson = {
  fn: 'Max Personal',
  adr: ['', '', 'Personal-Strasse 1', 'Personalstadt', '', '12345', 'DE'],
  tel: 'tel:+49.5550199',
  email: 'max.personal@mail.example',
};

const verisign = {
  objectClassName: 'domain',
  ldhName: 'EXAMPLE.COM',
  status: ['client delete prohibited', 'client transfer prohibited'],
  entities: [
    {
      objectClassName: 'entity',
      roles: ['registrar'],
      publicIds: [{ type: 'IANA Registrar ID', identifier: '376' }],
      vcardArray: aCard({ fn: 'Example Registrar, Inc.' }),
      entities: [
        { roles: ['abuse'], vcardArray: aCard({ fn: '', tel: 'tel:+1.2025550100', email: 'abuse@registrar.example' }) },
      ],
    },
  ],
  events: [
    { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
    { eventAction: 'expiration', eventDate: '2031-08-13T04:00:00Z' },
    { eventAction: 'last changed', eventDate: '2026-08-14T07:01:34Z' },
    { eventAction: 'last update of RDAP database', eventDate: '2026-11-01T00:00:00Z' },
  ],
  nameservers: [{ ldhName: 'A.NS.EXAMPLE.' }, { ldhName: 'B.NS.EXAMPLE' }, { ldhName: 'A.NS.EXAMPLE' }],
  secureDNS: { delegationSigned: true },
};

const holder = (properties: object) => ({
  ...verisign,
  entities: [
    ...verisign.entities,
    { roles: ['registrant'], vcardArray: aCard({ ...properties }) },
    { roles: ['administrative', 'technical'], vcardArray: aCard(aPerson) },
  ],
});

const byRdap: [what: string, answer: Record<string, unknown>, expected: object][] = [
  [
    'thin',
    verisign,
    {
      kind: 'domain',
      domain: 'example.com',
      registered: true,
      registrar: 'Example Registrar, Inc.',
      registrar_iana_id: 376,
      registrar_abuse_email: 'abuse@registrar.example',
      registrar_abuse_phone: '+1.2025550100',
      registered_at: '1995-08-14T04:00:00.000Z',
      updated_at: '2026-08-14T07:01:34.000Z',
      expires_at: '2031-08-13T04:00:00.000Z',
      status: ['client delete prohibited', 'client transfer prohibited'],
      name_servers: ['a.ns.example', 'b.ns.example'],
      dnssec_signed: true,
      registrant_organization: null,
      registrant_country: null,
      network: null,
      source: { protocol: 'rdap' },
    },
  ],
  [
    'thick',
    holder({ ...aPerson, org: 'Example GmbH' }),
    { registrant_organization: 'Example GmbH', registrant_country: 'DE' },
  ],
  [
    'redacted',
    holder({ fn: '', org: 'REDACTED FOR PRIVACY', adr: ['', '', '', '', '', '', 'US'], email: '' }),
    { registrant_organization: null, registrant_country: 'US', registrar: 'Example Registrar, Inc.' },
  ],
  ['a person', holder({ ...aPerson, kind: 'individual' }), { registrant_organization: null, registrant_country: 'DE' }],
  [
    'a person whose organisation has its name',
    holder({ ...aPerson, org: 'MAX PERSONAL' }),
    { registrant_organization: null },
  ],
  [
    'a registrar whose contact for abuse is a person',
    {
      ...verisign,
      entities: [
        {
          roles: ['registrar'],
          handle: 'REG-1',
          vcardArray: aCard({ ...aPerson, kind: 'individual' }),
          entities: [{ roles: ['abuse'], vcardArray: aCard(aPerson) }],
        },
      ],
    },
    { registrar: 'REG-1', registrar_abuse_email: null, registrar_abuse_phone: null },
  ],
];

const aWhois = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n`;
const whoisPerson = [
  'Registrant Name: Max Personal',
  'Registrant Street: Personal-Strasse 1',
  'Registrant Phone: +49.5550199',
  'Registrant Email: max.personal@mail.example',
];

const byWhois: [what: string, target: string, answer: string | Buffer, expected: object][] = [
  [
    'thin, of .com',
    'example.com',
    aWhois([
      '   Domain Name: EXAMPLE.COM',
      '   Registrar: Example Registrar, Inc.',
      '   Registrar IANA ID: 376',
      '   Registrar Abuse Contact Email: abuse@registrar.example',
      '   Registrar Abuse Contact Phone: +1.2025550100',
      '   Updated Date: 2026-08-14T07:01:34Z',
      '   Creation Date: 1995-08-14T04:00:00Z',
      '   Registry Expiry Date: 2031-08-13T04:00:00Z',
      '   Domain Status: clientDeleteProhibited https://icann.org/epp#clientDeleteProhibited',
      '   Domain Status: ok https://icann.org/epp#ok',
      '   Name Server: A.NS.EXAMPLE',
      '   Name Server: B.NS.EXAMPLE',
      '   DNSSEC: signedDelegation',
    ]),
    {
      registered: true,
      registrar: 'Example Registrar, Inc.',
      registrar_iana_id: 376,
      registrar_abuse_email: 'abuse@registrar.example',
      registrar_abuse_phone: '+1.2025550100',
      registered_at: '1995-08-14T04:00:00.000Z',
      updated_at: '2026-08-14T07:01:34.000Z',
      expires_at: '2031-08-13T04:00:00.000Z',
      status: ['client delete prohibited', 'active'],
      name_servers: ['a.ns.example', 'b.ns.example'],
      dnssec_signed: true,
      source: { protocol: 'whois', server: '127.0.0.2' },
    },
  ],
  [
    'thick, of .org',
    'example.org',
    aWhois([
      'Domain Name: example.org',
      'Registry Expiry Date: 2031-08-13T04:00:00Z',
      ...whoisPerson,
      'Registrant Organization: Example Foundation',
      'Registrant Country: NL',
      'DNSSEC: unsigned',
    ]),
    { registrant_organization: 'Example Foundation', registrant_country: 'NL', dnssec_signed: false },
  ],
  [
    'of .cn, in GBK',
    'example.cn',
    Buffer.concat([
      Buffer.from('Domain Name: example.cn\r\nSponsoring Registrar: '),
      Buffer.from('b0a2c0efd4c6', 'hex'),
      Buffer.from('\r\nRegistrant: Max Personal\r\nRegistrant Contact Email: max.personal@mail.example\r\n'),
      Buffer.from(
        'Registration Time: 2003-03-17 12:48:36\r\nExpiration Time: 2031-03-17 12:48:36\r\nDNSSEC: unsigned\r\n',
      ),
    ]),
    { registrar: '阿里云', registered_at: '2003-03-17T12:48:36.000Z', registrant_organization: null },
  ],
  [
    'of .fr, in latin1',
    'example.fr',
    Buffer.from(
      aWhois([
        'domain:      example.fr',
        'registrar:   Société d’Exemple'.replace('’', "'"),
        'Expiry Date: 2031-02-14T09:17:31Z',
        'created:     2004-02-14T08:00:00Z',
        'nserver:     ns1.example.net [192.0.2.1]',
        '',
        'contact:     Max Personal',
        'e-mail:      max.personal@mail.example',
      ]),
      'latin1',
    ),
    { registrar: "Société d'Exemple", name_servers: ['ns1.example.net'], registered_at: '2004-02-14T08:00:00.000Z' },
  ],
  [
    'of .jp, in Shift_JIS',
    'example.jp',
    Buffer.concat([
      Buffer.from('[Domain Name]                   EXAMPLE.JP\r\n[Registrant]                    Max Personal\r\n['),
      Buffer.from('936f985e944e8c8e93fa', 'hex'),
      Buffer.from(']                      2001/03/31\r\n[Expires on]                    2031/03/31\r\n'),
    ]),
    { registered_at: '2001-03-31T00:00:00.000Z', expires_at: '2031-03-31T00:00:00.000Z' },
  ],
  [
    'of .uk, in blocks',
    'example.co.uk',
    aWhois([
      '',
      '    Domain name:',
      '        example.co.uk',
      '',
      '    Registrar:',
      '        Example Ltd t/a Example [Tag = EXAMPLE]',
      '        URL: https://registrar.example',
      '',
      '    Relevant dates:',
      '        Registered on: 26-Nov-1996',
      '        Expiry date:  26-Nov-2031',
      '        Last updated:  29-Oct-2026',
      '',
      '    Name servers:',
      '        ns1.example.net   192.0.2.1  2001:db8::1',
      '        ns2.example.net',
      '',
      '    WHOIS lookup made at 10:00:00 26-Nov-2026',
    ]),
    {
      registrar: 'Example Ltd t/a Example',
      registered_at: '1996-11-26T00:00:00.000Z',
      expires_at: '2031-11-26T00:00:00.000Z',
      updated_at: '2026-10-29T00:00:00.000Z',
      name_servers: ['ns1.example.net', 'ns2.example.net'],
    },
  ],
  [
    'of .ru',
    'example.ru',
    aWhois([
      'domain:        EXAMPLE.RU',
      'nserver:       ns1.example.net.',
      'state:         REGISTERED, DELEGATED, VERIFIED',
      'org:           Example LLC',
      'registrar:     EXAMPLE-RU',
      'created:       1997-09-23T09:45:07Z',
      'paid-till:     2031-09-30T21:00:00Z',
    ]),
    { registrant_organization: 'Example LLC', registrar: 'EXAMPLE-RU', status: [] },
  ],
  [
    'of .de, without dates of the registration',
    'example.de',
    aWhois(['Domain: example.de', 'Nserver: ns1.example.net', 'Status: connect', 'Changed: 2026-01-02T03:04:05+01:00']),
    { registered: true, expires_at: null, updated_at: '2026-01-02T02:04:05.000Z', name_servers: ['ns1.example.net'] },
  ],
  [
    'of a name that is free',
    'example.com',
    'No match for domain "EXAMPLE.COM".\r\n',
    { registered: false, registrar: null },
  ],
];

t.test('registrations are read from the RDAP answers of registries, and nothing of a person is', async (t) => {
  for (const [what, answer, expected] of byRdap) {
    const { look, rdapHost } = await startRegistries(t, { entries: ['com'], rdap: answer });
    const result = await look('www.example.com');
    t.match(result, { success: true, error: null, ...expected }, what);
    t.match(result.source, { protocol: 'rdap', server: rdapHost }, what);
    t.strictSame(result.asked, [{ protocol: 'rdap', server: rdapHost, outcome: 'answered', retry_after_s: null }]);
    t.notMatch(JSON.stringify(result), /personal|5550199/i, what);
  }
});

t.test(
  'registrations are read from WHOIS answers in the charsets of registries, and nothing of a person is',
  async (t) => {
    for (const [what, target, answer, expected] of byWhois) {
      const { look, questions } = await startRegistries(t, {
        whois: { '127.0.0.1': refersTo('127.0.0.2'), '127.0.0.2': answer },
      });
      const result = await look(target);
      t.match(result, { success: true, error: null, ...expected }, what);
      t.notMatch(JSON.stringify(result), /personal|5550199/i, what);
      t.equal(questions.length, 2, `${what}: the root and the registry, and no registrar`);
    }
  },
);

t.test('what the source of the expiry date leaves open is taken from the other protocol', async (t) => {
  const { look } = await startRegistries(t, {
    entries: ['com'],
    rdap: { ...verisign, events: [] },
    whois: {
      '127.0.0.1': refersTo('127.0.0.2'),
      '127.0.0.2': 'Domain Name: example.com\r\nRegistry Expiry Date: 2031-08-13T04:00:00Z\r\n',
    },
  });
  t.match(await look('example.com'), {
    source: { protocol: 'whois', server: '127.0.0.2' },
    expires_at: '2031-08-13T04:00:00.000Z',
    registrar: 'Example Registrar, Inc.',
    name_servers: ['a.ns.example', 'b.ns.example'],
  });
});

t.test('hostile answers of registries are cut, cleaned or not counted', async (t) => {
  const long = 'x'.repeat(5000);
  const hostile = {
    ...verisign,
    status: [7, null, '<b>', 'a'.repeat(300), 'active'],
    nameservers: [{ ldhName: `${'a'.repeat(64)}.example` }, { ldhName: '-x.example' }, null, { ldhName: 'ok.example' }],
    secureDNS: { delegationSigned: 'yes' },
    events: [{ eventAction: 'expiration', eventDate: '99999-01-01T00:00:00Z' }, 'x'],
    entities: [
      {
        roles: ['registrar'],
        publicIds: [{ type: 'IANA Registrar ID', identifier: '1e9999' }],
        vcardArray: aCard({ fn: `\u001b[31m\u202eRegistrar\u0000 ${long}`, adr: { length: 3 } }),
        entities: [{ roles: ['abuse'], vcardArray: aCard({ email: 'abuse@x.example\r\nBcc: y', tel: 'call me' }) }],
      },
      {
        roles: ['registrant'],
        vcardArray: ['vcard', [null, ['org'], ['org', {}, 'text', { toString: 1 }]]] as unknown,
      },
    ],
  };
  const { look } = await startRegistries(t, { entries: ['com'], rdap: hostile });
  const result = await look('example.com');
  t.match(result, {
    registered: true,
    registrar_iana_id: null,
    registrar_abuse_email: null,
    registrar_abuse_phone: null,
    expires_at: null,
    status: ['active'],
    name_servers: ['ok.example'],
    dnssec_signed: null,
    registrant_organization: null,
  });
  t.match(result.registrar, /^\[31m Registrar x{100}/);
  t.equal(result.registrar?.length, 200);
});
