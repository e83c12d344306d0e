import t from 'tap';
import { type LabMap, mapText } from './map.js';
import { serverNames, servers } from './servers/index.js';
import { hostsOf, linkAddresses, linksOf, nowhere } from './topology.js';

function aMap(isEcmp: boolean): LabMap {
  return {
    name: 'mine',
    hosts: hostsOf(isEcmp),
    links: linksOf(isEcmp).map((link) => ({
      ...link,
      addresses: { left: linkAddresses(link.number, 'left'), right: linkAddresses(link.number, 'right') },
    })),
    servers: serverNames.map((name) => ({
      name,
      summary: servers[name].summary,
      offers: servers[name].offers.map(([where, what]) => ({ where, what })),
    })),
    nowhere,
  };
}

t.test('a map shows every machine, link, address and server, and what to try there', async (t) => {
  for (const isEcmp of [false, true]) {
    const map = aMap(isEcmp);
    const text = mapText(map);
    const says = (part: string) => t.ok(text.includes(part), part);
    for (const host of map.hosts) says(` ${host} `);
    for (const { number, left, right, addresses } of map.links) {
      const ends = [
        `${left} ${addresses.left.v4} ${addresses.left.v6}`,
        `${right} ${addresses.right.v4} ${addresses.right.v6}`,
      ];
      const line = text.split('\n').find((row) => row.includes(`link ${number} `)) ?? '';
      for (const end of ends) t.ok(line.includes(end), `${end} of link ${number}`);
      says(`──${number}──`);
    }
    for (const { name, summary, offers } of map.servers) {
      says(`\n${name}: ${summary}\n`);
      for (const { where, what } of offers) t.match(text.split('\n').find((row) => row.includes(where)) ?? '', what);
    }
    for (const command of ['exec', 'link', 'status', 'shell']) says(`npm run lab -- ${command} --name mine`);
    t.equal(text.includes('r2b'), isEcmp, 'the second road where there is one');
  }
});
