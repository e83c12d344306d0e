import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { startThirdParties } from './third-parties.js';

t.test('the stand-ins stop although a client that sent a query stays connected', async (t) => {
  const { whois, rdapBootstrap, stop } = await startThirdParties();
  const [address, port] = whois.split(':');
  const client = connect({ host: address, port: Number(port), allowHalfOpen: true });
  t.teardown(() => client.destroy());
  client.on('error', () => {});
  client.write('example.com\r\n');
  const [said] = (await once(client, 'data')) as [Buffer];
  t.match(String(said), /^refer:\r\n/, 'it refers to no one');
  t.equal((await fetch(rdapBootstrap)).status, 200);
  await stop();
  await t.rejects(fetch(rdapBootstrap));
});
