import type { RdapServices } from './bootstrap-file.js';

// Small excerpt of IANA's bootstrap files (https://data.iana.org/rdap/), compiled 2026-11 from public copies of them and
// not compared with IANA since: every block of addresses of the five regional registries, and of the top-level domains
// those with the most names. It is used only until the real files have been fetched.

const afrinic = 'https://rdap.afrinic.net/rdap/';
const apnic = 'https://rdap.apnic.net/';
const arin = 'https://rdap.arin.net/registry/';
const lacnic = 'https://rdap.lacnic.net/rdap/';
const ripe = 'https://rdap.db.ripe.net/';

/** First octets of the blocks of each registry. */
const ipv4: Readonly<Record<string, string>> = {
  [afrinic]: '41 102 105 154 196 197',
  [apnic]:
    '1 14 27 36 39 42 43 49 58-61 101 103 106 110-126 133 150 153 163 171 175 180 182 183 202 203 210 211 218-223',
  [arin]:
    '3 4 6-9 11-13 15-24 26 28-30 32-35 38 40 44 45 47 48 50 52 54-56 63-76 96-100 104 107 108 128-132 134-140 142-144 146-149 152 155-162 164-170 172-174 184 192 198 199 204-209 214-216',
  [lacnic]: '177 179 181 186 187 189-191 200 201',
  [ripe]: '2 5 25 31 37 46 51 53 57 62 77-95 109 141 145 151 176 178 185 188 193-195 212 213 217',
};

const ipv6: Readonly<Record<string, string>> = {
  [afrinic]: '2001:4200::/23 2c00::/12',
  [apnic]:
    '2001:200::/23 2001:4400::/23 2001:8000::/19 2001:a000::/20 2001:b000::/20 2001:c00::/23 2001:e00::/23 2400::/12 2410::/12',
  [arin]: '2001:1800::/23 2001:400::/23 2001:4800::/23 2600::/12 2610::/23 2620::/23 2630::/12',
  [lacnic]: '2001:1200::/23 2800::/12',
  [ripe]:
    '2001:1400::/22 2001:1a00::/23 2001:1c00::/22 2001:2000::/19 2001:4000::/23 2001:4600::/23 2001:4a00::/23 2001:4c00::/23 2001:5000::/20 2001:600::/23 2001:800::/22 2003::/18 2a00::/12 2a10::/12',
};

const dns: Readonly<Record<string, string>> = {
  'https://rdap.verisign.com/com/v1/': 'com',
  'https://rdap.verisign.com/net/v1/': 'net',
  'https://rdap.publicinterestregistry.org/rdap/': 'org',
  'https://rdap.identitydigital.services/rdap/': 'info',
  'https://rdap.nic.biz/': 'biz',
  'https://rdap.centralnic.com/xyz/': 'xyz',
  'https://pubapi.registry.google/rdap/': 'app dev',
  'https://rdap.nominet.uk/uk/': 'uk',
  'https://rdap.nic.fr/': 'fr',
  'https://rdap.sidn.nl/': 'nl',
  'https://rdap.registro.br/': 'br',
  'https://rdap.ca.fury.ca/rdap/': 'ca',
  'https://rdap.nic.cz/': 'cz',
};

/** Servers that are asked until the bootstrap file of their kind has been fetched. */
export const bundledServices: Readonly<Record<'dns' | 'ipv4' | 'ipv6', RdapServices>> = {
  dns: servicesOf(dns, (label) => [label]),
  ipv4: servicesOf(ipv4, blocksOfOctets),
  ipv6: servicesOf(ipv6, (block) => [block]),
};

function servicesOf(table: Readonly<Record<string, string>>, entriesOf: (word: string) => string[]): RdapServices {
  const entries = Object.entries(table);
  return new Map(
    entries.flatMap(([url, words]) =>
      words
        .split(' ')
        .flatMap(entriesOf)
        .map((entry) => [entry, [url]]),
    ),
  );
}

/** `58-61` is 58.0.0.0/8 to 61.0.0.0/8. */
function blocksOfOctets(word: string): string[] {
  const [first = 0, last = first] = word.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, i) => `${first + i}.0.0.0/8`);
}
