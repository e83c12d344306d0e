import { getRecord } from './records.js';
import { type ServerName, servers } from './servers/index.js';
import { alignedText } from './status-text.js';
import { type Host, hostsOf, linkAddresses, linksOf, nowhere } from './topology.js';

/** Hosts and links of a running lab, for people and programs. */
export interface LabMap {
  readonly name: string;
  readonly hosts: readonly Host[];
  readonly links: readonly {
    readonly number: number;
    readonly left: Host;
    readonly right: Host;
    readonly addresses: Record<'left' | 'right', { readonly v4: string; readonly v6: string }>;
  }[];
  readonly servers: readonly {
    readonly name: ServerName;
    readonly summary: string;
    readonly offers: readonly { readonly where: string; readonly what: string }[];
  }[];
  readonly nowhere: typeof nowhere;
}

/** @throws Error when no lab of this name is up */
export function readMap(name: string): LabMap {
  const record = getRecord(name);
  return {
    name,
    hosts: hostsOf(record.isEcmp),
    links: linksOf(record.isEcmp).map((link) => ({
      ...link,
      addresses: { left: linkAddresses(link.number, 'left'), right: linkAddresses(link.number, 'right') },
    })),
    servers: record.servers.map((server) => {
      const { summary, offers } = servers[server];
      return { name: server, summary, offers: offers.map(([where, what]) => ({ where, what })) };
    }),
    nowhere,
  };
}

/** A map for people. */
export function mapText(map: LabMap): string {
  const isEcmp = map.hosts.includes('r2b');
  const links = map.links.map(({ number, left, right, addresses }) => [
    `  link ${number}`,
    `${left} ${addresses.left.v4} ${addresses.left.v6}`,
    `${right} ${addresses.right.v4} ${addresses.right.v6}`,
  ]);
  const offers = map.servers.flatMap(({ name, summary, offers: all }) => [
    `\n${name}: ${summary}\n`,
    alignedText(all.map(({ where, what }) => [`  ${where}`, what])),
  ]);
  return [
    '\n  agent ──1── r1 ──2── r2 ──3── r3 ──4── far\n',
    isEcmp ? '               └──5── r2b ──6──┘\n\n' : '\n',
    alignedText(links),
    ...offers,
    `\nbehind far, assigned to no host: ${nowhere.unreachable.v4} unreachable, ${nowhere.silent.v4} silent, ${nowhere.prohibited.v4} prohibited\n`,
    tryText(map),
  ].join('');
}

function tryText({ name, servers: present }: LabMap): string {
  const option = name === 'lab' ? '' : ` --name ${name}`;
  const has = (server: string) => present.some((one) => one.name === server);
  const lines = [
    ...(has('web') && has('dns') ? [`npm run lab -- exec${option} agent -- curl -s http://www.lab.test/`] : []),
    ...(has('dns') ? [`npm run lab -- exec${option} agent -- dig www.lab.test`] : []),
    `npm run lab -- exec${option} agent -- node agent/bin/vantage-agent.js probe traceroute 25.80.10.10`,
    `npm run lab -- link${option} 2 --delay 10 --loss 0.01`,
    `npm run lab -- status${option}`,
    `npm run lab -- shell${option} agent`,
  ];
  return `\nTry, in another terminal:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
