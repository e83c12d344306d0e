import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../namespaces.js';
import { serviceAddresses } from '../topology.js';
import { startDaemon } from './daemon.js';
import type { ServerDefinition } from './server.js';

const { v4, v6 } = serviceAddresses('time');

/** chrony, which gives out this machine's clock and never touches it (-x). */
export const time: ServerDefinition = {
  summary: 'chrony as NTP server, stratum 3',
  programs: ['chronyd', 'ss'],
  async start(options) {
    const { directory, namespace } = options;
    const file = join(directory, 'chrony.conf');
    const lines = [
      'local stratum 3',
      'allow all',
      `bindaddress ${v4}`,
      `bindaddress ${v6}`,
      'cmdport 0',
      'bindcmdaddress /',
    ];
    writeFileSync(file, `${[...lines, `pidfile ${join(directory, 'chronyd.pid')}`].join('\n')}\n`);
    await startDaemon(options, {
      command: ['chronyd', '-x', '-d', '-u', 'root', '-f', file],
      isReady: async () => {
        const sockets = await run('ip', ['netns', 'exec', namespace, 'ss', '-ulnH']);
        return sockets.includes(`${v4}:123`) && sockets.includes(`[${v6}]:123`);
      },
    });
  },
  offers: [['time.lab.test', `NTP; ${v4}, ${v6}. Unequal delays of a link shift the offset by half their difference`]],
};
