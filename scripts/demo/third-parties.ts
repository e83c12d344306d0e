import { createServer } from 'node:http';
import net from 'node:net';
import { listen } from './listen.js';
import { DOMAIN, HOST, PUBLIC_ADDRESS } from './names.js';

// Stand-ins for those whom nodes and the control plane ask about a domain or an address. Their data is made up.
//
//   a node ──RDAP──> registry of .example, and of the network of an address
//          ──WHOIS─> refers to no one: every registry of the demo is asked by RDAP
//          ──HTTP──> source of ICP filings
//   the control plane ──HTTP──> list of networks of data centers

/** Stand-ins that run until they are stopped. */
export interface ThirdParties {
  /** URL of the list of RDAP servers by domain; the one by address is next to it. */
  readonly rdapBootstrap: string;
  /** `host:port` of the WHOIS server. */
  readonly whois: string;
  /** URL of a filing, with `{domain}` in it. */
  readonly icpSource: string;
  /** URL of the list of networks. */
  readonly networkList: string;
  stop(): Promise<void>;
}

/** Starts them on free ports of loopback. */
export async function startThirdParties(): Promise<ThirdParties> {
  let documents: Readonly<Record<string, object | string>> = {};
  const server = createServer(({ url = '' }, response) => {
    const found = documents[url];
    const isText = typeof found === 'string';
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': isText ? 'text/plain' : 'application/json' });
    response.end(isText ? found : JSON.stringify(found ?? { errorCode: 404 }));
  });
  const http = await listen(server);
  const origin = `http://${HOST}:${http.port}`;
  documents = documentsOf(origin);
  const whois = await listen(
    net.createServer((socket) => {
      socket.on('error', () => {});
      socket.end('refer:\r\n');
    }),
  );
  return {
    rdapBootstrap: `${origin}/rdap/dns.json`,
    whois: `${HOST}:${whois.port}`,
    icpSource: `${origin}/icp/{domain}`,
    networkList: `${origin}/lists/data-centers`,
    stop: async () => void (await Promise.all([http.stop(), whois.stop()])),
  };
}

function documentsOf(origin: string): Readonly<Record<string, object | string>> {
  const servedHere = (entry: string) => ({ version: '1.0', services: [[[entry], [`${origin}/rdap/`]]] });
  return {
    '/rdap/dns.json': servedHere('example'),
    '/rdap/ipv4.json': servedHere('81.0.0.0/8'),
    [`/rdap/domain/${DOMAIN}`]: registration,
    [`/rdap/ip/${PUBLIC_ADDRESS}`]: network,
    [`/icp/${DOMAIN}`]: filing,
    '/lists/data-centers': '# networks of data centers\nAS20712\n',
  };
}

/** Registration of a domain. RFC 9083 section 5.3. */
const registration = {
  objectClassName: 'domain',
  ldhName: DOMAIN,
  status: ['client transfer prohibited'],
  events: [
    { eventAction: 'registration', eventDate: '2019-05-04T08:30:00Z' },
    { eventAction: 'last changed', eventDate: '2026-04-20T11:02:41Z' },
    { eventAction: 'expiration', eventDate: '2099-05-04T08:30:00Z' },
  ],
  nameservers: [{ objectClassName: 'nameserver', ldhName: `ns.${DOMAIN}` }],
  secureDNS: { delegationSigned: false },
  entities: [
    {
      roles: ['registrar'],
      publicIds: [{ type: 'IANA Registrar ID', identifier: '9999' }],
      vcardArray: card({ fn: 'Demo Registrar Ltd' }),
      entities: [{ roles: ['abuse'], vcardArray: card({ email: 'abuse@registrar.example', tel: '+44.2079460000' }) }],
    },
    { roles: ['registrant'], vcardArray: card({ kind: 'org', org: 'Demo Shop Ltd' }) },
  ],
};

/** Registration of the network of an address. RFC 9083 section 5.4. */
const network = {
  objectClassName: 'ip network',
  handle: '81.2.69.0 - 81.2.69.255',
  startAddress: '81.2.69.0',
  endAddress: '81.2.69.255',
  name: 'DEMO-NETWORK',
  country: 'GB',
  status: ['active'],
  events: [{ eventAction: 'registration', eventDate: '2014-02-17T09:45:00Z' }],
  entities: [
    { roles: ['registrant'], vcardArray: card({ kind: 'org', org: 'Andrews & Arnold Ltd' }) },
    { roles: ['abuse'], vcardArray: card({ kind: 'group', fn: 'Abuse desk', email: `abuse@${DOMAIN}` }) },
  ],
};

const filing = {
  icp_number: '京ICP备12345678号-1',
  company: '演示商店有限公司',
  type: '企业',
  license_type: 'ICP备案',
  filed_at: '2024-01-31',
  inquiry_url: 'https://beian.example/demo.example',
};

/** Contact as a jCard. RFC 7095. */
function card(properties: Readonly<Record<string, string>>): readonly unknown[] {
  const list = Object.entries(properties).map(([name, value]) => [name, {}, 'text', value]);
  return ['vcard', [['version', {}, 'text', '4.0'], ...list]];
}
