import { fileURLToPath } from 'node:url';
import { run } from '../namespaces.js';
import { CLOSED_PORT, misbehaviours } from '../programs/misbehaviours.js';
import { serviceAddresses } from '../topology.js';
import { startProgram } from './daemon.js';
import type { ServerDefinition } from './server.js';

const { v4, v6 } = serviceAddresses('hostile');
const program = (name: string) => fileURLToPath(new URL(`../programs/${name}.js`, import.meta.url));

/** Servers that lie, flood, stall and break off; the kernel's replies to some echo requests, changed on their way out. */
export const hostile: ServerDefinition = {
  summary: 'servers of our own that answer as no honest one does',
  programs: ['nft'],
  async start(options) {
    const { namespace } = options;
    await Promise.all([
      startProgram(options, program('hostile-web'), [v4, v6]),
      startProgram(options, program('hostile-names'), [v4, v6]),
      startProgram(options, program('hostile-registries'), [v4, v6]),
      run('ip', ['netns', 'exec', namespace, 'nft', '-f', '-'], { input: echoRules() }),
    ]);
  },
  offers: [
    ...Object.entries(misbehaviours).map(([name, port]) => [`http://hostile.lab.test:${port}/`, name] as const),
    [`http://hostile.lab.test:${CLOSED_PORT}/`, 'nobody listens'],
    ['private, mixed, mapped, metadata, localhost .hostile.test', 'names that lead to where no probe may go'],
    ['turning.hostile.test, turning-X.hostile.test', 'the first answer is public, later ones private'],
    ['http://hostile.lab.test:8100/', 'redirects and registries that refer to where no probe may go; WHOIS at port 43'],
    ['wrong-id, cut, thousand, silent .hostile.test', `answers of the name server ${v4}`],
    [`${serviceAddresses('impostor').v4}`, 'echo requests are answered from another address'],
    [`${serviceAddresses('stranger').v4}`, 'echo requests are answered with another identifier'],
  ],
};

function echoRules(): string {
  const [impostor, stranger] = [serviceAddresses('impostor'), serviceAddresses('stranger')];
  return `
table inet hostile {
  chain output {
    type filter hook output priority 0;
    ip saddr ${impostor.v4} icmp type echo-reply counter ip saddr set ${v4}
    ip6 saddr ${impostor.v6} icmpv6 type echo-reply counter ip6 saddr set ${v6}
    ip saddr ${stranger.v4} icmp type echo-reply counter icmp id set 4711
    ip6 saddr ${stranger.v6} icmpv6 type echo-reply counter icmpv6 id set 4711
  }
}
`;
}
