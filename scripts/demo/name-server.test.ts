import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import packet, { type RecordType } from 'dns-packet';
import t, { type Test } from 'tap';
import { startNameServer } from './name-server.js';
import { HOST } from './names.js';

async function ask(t: Test, port: number, name: string, type: RecordType) {
  const socket = createSocket('udp4');
  t.teardown(() => socket.close());
  socket.send(packet.encode({ type: 'query', id: 7, questions: [{ name, type }] }), port, HOST);
  const [bytes] = (await once(socket, 'message')) as [Buffer];
  return packet.decode(bytes);
}

t.test(
  'the name server knows the domain of the demo, and passes on neither names of loopback addresses nor those that never exist',
  async (t) => {
    const { port, stop } = await startNameServer();
    t.teardown(stop);
    t.match(await ask(t, port, 'WWW.Demo.Example', 'A'), { id: 7, rcode: 'NOERROR', answers: [{ data: HOST }] });
    t.match(await ask(t, port, 'demo.example', 'AAAA'), {
      rcode: 'NOERROR',
      answers: [],
      authorities: [{ type: 'SOA' }],
    });
    for (const [name, type] of [
      ['missing.demo.example', 'A'],
      ['vantage.invalid', 'A'],
      ['1.0.0.127.in-addr.arpa', 'PTR'],
    ] as const)
      t.match(await ask(t, port, name, type), { rcode: 'NXDOMAIN', answers: [] }, name);
  },
);
