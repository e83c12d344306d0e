import { once } from 'node:events';
import { dirname } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { HOST, MAIL_DOMAIN, WEB_DOMAIN } from './names.js';
import { startServers } from './servers.js';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

t.test('the servers of the demo have a certificate for their address and names', async (t) => {
  const { ports, stop } = await startServers(root);
  t.teardown(stop);
  const socket = connect({ host: HOST, port: ports.web, servername: WEB_DOMAIN, rejectUnauthorized: false });
  t.teardown(() => socket.destroy());
  await once(socket, 'secureConnect');
  const { subjectaltname }: PeerCertificate = socket.getPeerCertificate();
  t.strictSame(subjectaltname?.split(', ').sort(), [`DNS:${MAIL_DOMAIN}`, `DNS:${WEB_DOMAIN}`, `IP Address:${HOST}`]);
});
