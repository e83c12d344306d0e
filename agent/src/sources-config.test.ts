import t from 'tap';
import { ConfigError, parseConfig } from './config.js';
import { defaultSources } from './probes/sources.js';

t.test('engines query public sources about targets unless the operator names others', async (t) => {
  t.strictSame(parseConfig({}).engines.sources, defaultSources);
  const {
    engines: { sources },
  } = parseConfig({
    VANTAGE_DNSBL_ZONES: 'bl.test, other.test',
    VANTAGE_DNSBL_SERVERS: '127.0.0.53,[::1]:5353',
    VANTAGE_RDAP_BOOTSTRAP: 'http://rdap.example.com/dns.json',
    VANTAGE_RDAP_BOOTSTRAP_IPV6: 'https://six.example.net/v6.json',
    VANTAGE_WHOIS_SERVERS: 'DE=whois.denic.de, co.uk=192.0.2.1:4343, *=whois.example.com',
    VANTAGE_ICP_SOURCE: 'https://icp.example.com/{domain}.json',
  });
  t.equal(sources.icpUrl, 'https://icp.example.com/{domain}.json');
  t.strictSame(sources.registries, {
    rdapBootstrap: {
      dns: 'http://rdap.example.com/dns.json',
      ipv4: 'http://rdap.example.com/ipv4.json',
      ipv6: 'https://six.example.net/v6.json',
    },
    whois: {
      byZone: new Map([
        ['de', 'whois.denic.de'],
        ['co.uk', '192.0.2.1:4343'],
      ]),
      root: 'whois.example.com',
    },
  });
  t.strictSame(sources.blocklists, {
    zones: ['bl.test', 'other.test'],
    servers: [
      { address: '127.0.0.53', port: 53 },
      { address: '::1', port: 5353 },
    ],
  });
});

t.test('all invalid sources are named at once', async (t) => {
  const env = {
    VANTAGE_DNSBL_ZONES: 'bl.test,127.0.0.1',
    VANTAGE_DNSBL_SERVERS: 'resolver.test,127.0.0.1:0',
    VANTAGE_RDAP_BOOTSTRAP: 'file:///dns.json',
    VANTAGE_RDAP_BOOTSTRAP_IPV4: 'ipv4.json',
    VANTAGE_WHOIS_SERVERS: 'whois.denic.de,de=a b',
    VANTAGE_ICP_SOURCE: 'https://icp.example.com/',
  };
  const error = t.throws(() => parseConfig(env)) as unknown as ConfigError;
  t.type(error, ConfigError);
  for (const [name, value] of [
    ['VANTAGE_DNSBL_ZONES', '127.0.0.1'],
    ['VANTAGE_DNSBL_SERVERS', 'resolver.test'],
    ['VANTAGE_DNSBL_SERVERS', '127.0.0.1:0'],
    ['VANTAGE_WHOIS_SERVERS', 'whois.denic.de'],
    ['VANTAGE_WHOIS_SERVERS', 'de=a b'],
  ] as const)
    t.ok(
      error.complaints.some((text) => text.startsWith(`${name}: "${value}"`)),
      `${name} ${value}`,
    );
  for (const name of ['VANTAGE_RDAP_BOOTSTRAP', 'VANTAGE_RDAP_BOOTSTRAP_IPV4', 'VANTAGE_ICP_SOURCE'])
    t.ok(
      error.complaints.some((text) => text.startsWith(`${name}: `)),
      name,
    );
});
