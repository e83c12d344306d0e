import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import t, { type Test } from 'tap';
import { startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { aResolver } from '../../../test/_support/probe-context.js';
import { refersTo, startRegistries, type WhoisAnswer } from '../../../test/_support/registries.js';
import { temporaryDirectory } from '../../../test/_support/temporary-directory.js';

const run = promisify(execFile);

/** Port of WHOIS (RFC 3912): the other client takes no other for the servers in its own list. */
const WHOIS_PORT = 43;

/** WHOIS servers by their names, with their addresses here and their answers. */
const registries: Readonly<Record<string, readonly [address: string, answer: string]>> = {
  'whois.verisign-grs.com': [
    '127.43.0.1',
    [
      '   Domain Name: EXAMPLE.COM',
      '   Registrar WHOIS Server: whois.registrar.example',
      '   Registrar: Example Registrar, Inc.',
      '   Registrar IANA ID: 376',
      '   Updated Date: 2026-08-14T07:01:34Z',
      '   Creation Date: 1995-08-14T04:00:00Z',
      '   Registry Expiry Date: 2031-08-13T04:00:00Z',
      '   Name Server: A.NS.EXAMPLE',
      '   Name Server: B.NS.EXAMPLE',
    ].join('\r\n'),
  ],
  'whois.denic.de': [
    '127.43.0.2',
    ['Domain: example.de', 'Nserver: a.ns.example', 'Nserver: b.ns.example', 'Status: connect'].join('\r\n'),
  ],
  'whois.jprs.jp': [
    '127.43.0.3',
    [
      'Domain Information:',
      '[Domain Name]                   EXAMPLE.JP',
      '[Name Server]                   a.ns.example',
      '[Name Server]                   b.ns.example',
      '[Created on]                    2001/03/28',
      '[Expires on]                    2031/03/31',
      '[Status]                        Active',
    ].join('\r\n'),
  ],
  'whois.ripe.net': [
    '127.43.0.4',
    [
      'inetnum:        193.0.0.0 - 193.0.7.255',
      'netname:        EXAMPLE-NET',
      'country:        NL',
      'source:         RIPE',
    ].join('\r\n'),
  ],
  'whois.arin.net': [
    '127.43.0.5',
    ['NetRange:       8.8.8.0 - 8.8.8.255', 'CIDR:           8.8.8.0/24', 'NetName:        EXAMPLE-US'].join('\r\n'),
  ],
};

/** Server of a registrar, which Debian's whois goes on to ask, and a node does not. */
const registrar = { name: 'whois.registrar.example', address: '127.43.0.6' };

/** Registry of each target, as the root of WHOIS names it. */
const registryOf: Readonly<Record<string, string>> = {
  com: 'whois.verisign-grs.com',
  de: 'whois.denic.de',
  jp: 'whois.jprs.jp',
  '193.0.6.139': 'whois.ripe.net',
  '8.8.8.8': 'whois.arin.net',
};

async function startWorld(t: Test) {
  const answers: Record<string, WhoisAnswer> = {
    '127.0.0.1': (question, socket) => socket.end(refersTo(registryOf[question] ?? 'none.example')),
  };
  for (const [address, answer] of Object.values(registries)) answers[address] = `${answer}\r\n`;
  answers[registrar.address] = 'a record of the registrar\r\n';
  const { look, questions } = await startRegistries(t, { whois: answers, whoisPort: WHOIS_PORT });
  const addresses = Object.entries(registries).map(([name, [data]]) => ({ type: 'A' as const, name, data }));
  const dns = await startDnsServer(t, zone(addresses));
  const hosts = join(temporaryDirectory(t), 'hosts');
  const named = [...addresses, { name: registrar.name, data: registrar.address }];
  writeFileSync(hosts, named.map(({ name, data }) => `${data} ${name}\n`).join(''));
  /** Output of Debian's whois, which looks the same servers up in a file of its own. */
  const askWhois = async (words: readonly string[]) => {
    const script = 'mount --bind "$0" /etc/hosts; exec whois "$@"';
    return (await run('unshare', ['--mount', 'sh', '-ec', script, hosts, ...words])).stdout;
  };
  const questionsOf = async <T>(work: () => Promise<T>) => {
    const before = questions.length;
    const result = await work();
    return { result, asked: questions.slice(before).filter(([address]) => address !== '127.0.0.1') };
  };
  return {
    ours: (query: string) => questionsOf(() => look(query, { resolver: aResolver([dns.endpoint]) })),
    theirs: (...words: readonly string[]) => questionsOf(() => askWhois(words)),
  };
}

/** Values of the lines that begin with a label, as a reader of the output sees them. */
function valuesOf(output: string, label: RegExp): string[] {
  return output.split('\n').flatMap((line) => (label.test(line) ? [line.replace(label, '').trim().toLowerCase()] : []));
}

t.test(
  'registrations rest on the server and the question of Debian’s whois, and say what it shows',
  { skip: missing('whois', 'permission to mount') },
  async (t) => {
    const world = await startWorld(t);
    for (const query of ['example.com', 'example.de', 'example.jp', '193.0.6.139', '8.8.8.8']) {
      const ours = await world.ours(query);
      // RIPE is asked without persons (-r), which is no habit of the other client; it names itself (-V) there
      const isRipe = registryOf[query] === 'whois.ripe.net';
      const theirs = await world.theirs(...(isRipe ? ['-r'] : []), query);
      const atRegistries = theirs.asked
        .filter(([address]) => address !== registrar.address)
        .map(([address, question]) => [address, question.replace(/^-V Md\S+ /, '')]);
      t.strictSame(ours.asked, atRegistries, `${query}: server and question`);
      t.equal(theirs.asked.length - atRegistries.length, query.endsWith('.com') ? 1 : 0, `${query}: a registrar`);
      const { result } = ours;
      t.equal(result.error, null, query);
      const servers = valuesOf(theirs.result, /^\s*(?:Name Server:|Nserver:|\[Name Server\])/i);
      t.strictSame(result.name_servers, servers, `${query}: name servers`);
      const dates = valuesOf(theirs.result, /^\s*(?:Registry Expiry Date:|\[Expires on\])/).map((text) =>
        new Date(/Z$/i.test(text) ? text : `${text.replaceAll('/', '-')}T00:00:00Z`).toISOString(),
      );
      t.strictSame(result.expires_at === null ? [] : [result.expires_at], dates, `${query}: end of the registration`);
      t.strictSame(
        result.registrar === null ? [] : [result.registrar.toLowerCase()],
        valuesOf(theirs.result, /^\s*Registrar:/),
        `${query}: registrar`,
      );
      const networks = valuesOf(theirs.result, /^(?:netname|NetName):/);
      t.strictSame(result.network === null ? [] : [result.network.name?.toLowerCase()], networks, `${query}: network`);
    }
  },
);
