import t from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import { startLab } from './lab.js';
import { startProber } from './prober.js';
import { serviceAddresses } from './topology.js';

const skip = await missingForLab({ servers: ['mail', 'time'], programs: ['swaks', 'openssl'] });

if (skip !== false) t.test('smtp and ntp against real servers', { skip }, async () => {});
else {
  const lab = await startLab({ servers: ['mail', 'time'] });
  t.teardown(() => lab.stop());
  const prober = await startProber(lab);
  t.teardown(() => prober.stop());
  const shell = (command: string) => lab.exec('agent', 'sh', '-c', `(${command}) 2>&1 || true`);

  t.test('smtp shows the lines and the certificate that postfix shows swaks and openssl', async (t) => {
    const { v4, v6 } = serviceAddresses('mail');
    // Debian's swaks speaks IPv4 only; the server is one
    const talk = await shell(`swaks --server ${v4} --ehlo vantage.example --tls --quit-after EHLO`);
    const lines = (arrow: string) =>
      talk.split('\n').flatMap((line) => (line.startsWith(`${arrow}  250`) ? [line.slice(8)] : []));
    for (const address of [v4, v6]) {
      const server = address.includes(':') ? `[${address}]` : address;
      const pem = `openssl s_client -starttls smtp -connect ${server}:25 < /dev/null 2> /dev/null`;
      const fingerprint = (await shell(`${pem} | openssl x509 -noout -fingerprint -sha256`)).trim().replace(/^.*=/, '');
      const result = await prober.probe('smtp', address);
      t.match(result, { success: true, starttls: { offered: true, asked: true, done: true } }, address);
      t.strictSame(result.ehlo_before_tls, lines('<-'), 'in the clear');
      t.strictSame(result.ehlo, lines('<~'), 'over TLS');
      t.ok(result.ehlo.length > 5);
      t.equal(result.tls?.chain[0]?.fingerprint_sha256, fingerprint);
    }
    const implicit = await prober.probe('smtp', v4, { port: 465 });
    t.match(implicit, { success: true, starttls: { offered: null }, tls: { protocol: 'TLSv1.3' } });
    t.match(await prober.probe('smtp', v4, { port: 587 }), { success: true, starttls: { done: true } });
    t.match(await prober.probe('smtp', v4, { port: 2525 }), { success: false, error: { code: 'tcp_refused' } });
    t.match(await prober.probe('smtp', v4, { port: 80 }), { success: false, error: { code: 'target_not_allowed' } });
  });

  t.test('ntp finds the offset of chrony within its stated error, and half of what the two ways differ', async (t) => {
    const measured = Object.values(serviceAddresses('time')).map(async (address) => {
      const result = await prober.probe('ntp', address, { count: 3, interval_ms: 1000 });
      t.match(result, { success: true, stratum: 3, refid: '127.127.1.1', leap: 'none', packets_received: 3 }, address);
      // both machines of the lab have one clock
      const { offset_ms: offset, offset_error_ms: error } = result;
      t.ok(Math.abs(offset ?? 99) <= (error ?? 0), `${offset} ms, with an error of ${error} ms`);
    });
    await Promise.all(measured);
    await lab.setLink(2, 'forth', { delayMs: 20 });
    const uneven = await prober.probe('ntp', serviceAddresses('time').v4, { count: 2, interval_ms: 1000 });
    const { offset_ms: offset, offset_error_ms: error } = uneven;
    t.ok((error ?? 0) >= 10, 'and says so');
    // what the error has beyond those 10 ms is delay of another origin, such as a busy machine
    t.ok(Math.abs((offset ?? 99) - 10) <= (error ?? 0) - 10 + 0.1, `${offset} ms, with an error of ${error} ms`);
  });
}
