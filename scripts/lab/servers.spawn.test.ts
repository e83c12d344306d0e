import t from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import { startLab } from './lab.js';

const skip = await missingForLab({
  servers: ['dns', 'web', 'mail', 'time'],
  programs: ['dig', 'curl', 'openssl'],
});

if (skip !== false) t.test('servers of the lab answer', { skip }, async () => {});
else {
  const lab = await startLab({ servers: ['dns', 'web', 'mail', 'time'] });
  t.teardown(() => lab.stop());
  /** Runs a shell command on the agent, whatever its exit code. */
  const shell = (command: string) => lab.exec('agent', 'sh', '-c', `(${command}) 2>&1 || true`);

  t.test('names: every type, signed, broken and cut off', async (t) => {
    const cases = [
      { ask: 'www.lab.test A', answer: /status: NOERROR[^]*flags:[^;]* ad;[^]*\sA\s25\.80\.10\.10/ },
      { ask: 'www.lab.test AAAA', answer: /2d00:80:10::10/ },
      { ask: 'alias.lab.test A', answer: /CNAME\swww\.lab\.test\.[^]*25\.80\.10\.10/ },
      { ask: 'lab.test MX', answer: /MX\s10 mail\.lab\.test\./ },
      { ask: 'lab.test CAA', answer: /CAA\s0 issue "ca\.lab\.test; policy=ev"/ },
      { ask: 'lab.test DNSKEY', answer: /DNSKEY\s257 3 13 / },
      { ask: 'lab.test DS', answer: /DS\s\d+ 13 2 / },
      { ask: '_sip._tcp.lab.test SRV', answer: /SRV\s10 60 5060 mail/ },
      { ask: 'www.lab.test HTTPS', answer: /HTTPS\s1 \. alpn="h2,http\/1\.1"/ },
      { ask: '_dns.resolver.lab.test SVCB', answer: /SVCB\s1 resolver\.lab\.test\./ },
      { ask: 'txt.lab.test TXT', answer: /"first half, " "second half"/ },
      { ask: 'www.insecure.test A', answer: /status: NOERROR[^]*flags: qr rd ra;/ },
      { ask: 'nobody.lab.test A', answer: /status: NXDOMAIN/ },
      { ask: 'v4.lab.test AAAA', answer: /status: NOERROR[^]*ANSWER: 0/ },
      { ask: 'www.bogus.test A', answer: /status: SERVFAIL/ },
      { ask: '+cd www.bogus.test A', answer: /status: NOERROR/ },
      { ask: 'lame.test A', answer: /status: SERVFAIL/ },
      { ask: '+ignore many.lab.test A', answer: /flags: qr tc/ },
      { ask: 'many.lab.test A', answer: /ANSWER: 200/ },
      { ask: '-x 25.80.2.2', answer: /PTR\sr2\.lab\.test\./ },
      { ask: '-x 2d00:80:10::10', answer: /PTR\swww\.lab\.test\./ },
      { ask: '+norec @25.80.10.53 www.lab.test', answer: /ANSWER: 0[^]*test\.\s+300\s+IN\s+NS\s+ns\.nic\.test/ },
      { ask: '+norec @2d00:80:10::55 www.lab.test', answer: /lab\.test\.\s+300\s+IN\s+NS\s+ns1\.lab\.test/ },
    ];
    const answers = await Promise.all(cases.map(({ ask }) => shell(`dig ${ask}`)));
    for (const [index, { ask, answer }] of cases.entries()) t.match(answers[index], answer, ask);
    const query = 'AAABAAABAAAAAAAAA3d3dwNsYWIEdGVzdAAAAQAB';
    const overHttps = `curl -s -o /dev/null -w '%{http_version} %{http_code}' https://resolver.lab.test/dns-query?dns=${query}`;
    t.equal(await shell(overHttps), '2 200');
    const overTls = await shell('openssl s_client -connect resolver.lab.test:853 -verify_return_error < /dev/null');
    t.match(overTls, /Verification: OK/);
  });

  t.test('web: versions of HTTP and TLS, virtual hosts, certificates good and bad', async (t) => {
    const say = "-s -o /dev/null -w '%{http_version} %{http_code} %{size_download}'";
    const cases = [
      { ask: `curl ${say} http://www.lab.test/1k`, answer: /^1\.1 200 1024$/ },
      { ask: `curl ${say} -6 https://www.lab.test/100k`, answer: /^2 200 102400$/ },
      { ask: `curl ${say} --http1.1 https://www.lab.test/empty`, answer: /^1\.1 204 0$/ },
      { ask: `curl ${say} -L http://www.lab.test/redirect/9`, answer: /^1\.1 200 / },
      { ask: `curl ${say} --compressed http://www.lab.test/text`, answer: /^1\.1 200 \d{3}$/ },
      { ask: `curl ${say} http://www.lab.test/status/503`, answer: /^1\.1 503 / },
      { ask: 'curl -s http://other.lab.test/', answer: /another virtual host/ },
      { ask: 'curl -s -X PATCH -H "X-Lab: 7" http://www.lab.test/echo', answer: /^PATCH www\.lab\.test curl\S+ 7$/m },
      { ask: 'curl -s --data 12345 http://slow.lab.test:8080/upload', answer: /^\{"bytes": 5\}$/m },
      { ask: 'curl -sS https://expired.lab.test/', answer: /certificate has expired/ },
      { ask: 'curl -sS https://future.lab.test/', answer: /certificate is not yet valid/ },
      { ask: 'curl -sS https://self-signed.lab.test/', answer: /self-signed certificate/ },
      { ask: 'curl -sS https://wrong-name.lab.test/', answer: /no alternative certificate subject name matches/ },
      {
        ask: `curl ${say} --tls-max 1.0 --tlsv1.0 --ciphers DEFAULT:@SECLEVEL=0 https://legacy.lab.test/`,
        answer: /200/,
      },
      { ask: 'curl -sS https://legacy.lab.test/', answer: /legacy sigalg|protocol version|unsupported protocol/ },
      { ask: `curl ${say} --tlsv1.3 https://tls13.lab.test/`, answer: /^1\.1 200/ },
      { ask: 'curl -sS --tlsv1.3 https://tls12.lab.test/', answer: /alert protocol version/ },
      { ask: 'openssl s_client -status -connect www.lab.test:443 < /dev/null', answer: /Cert Status: good/ },
    ];
    const answers = await Promise.all(cases.map(({ ask }) => shell(ask)));
    for (const [index, { ask, answer }] of cases.entries()) t.match(answers[index], answer, ask);
  });

  t.test('mail and time answer', async (t) => {
    const talk = 'echo QUIT | openssl s_client -verify_return_error -quiet -connect';
    t.match(await shell(`${talk} mail.lab.test:25 -starttls smtp`), /250 CHUNKING[^]*221 /);
    t.match(await shell(`${talk} mail.lab.test:465`), /220 mail\.lab\.test ESMTP[^]*221 /);
    const program = `
      const query = Buffer.alloc(48); query[0] = 0x23;
      const socket = require('node:dgram').createSocket(process.argv[2]);
      socket.on('message', (reply) => { console.log(reply.length, reply[0] & 7, reply[1]); process.exit(); });
      socket.send(query, 123, process.argv[1]);
      setTimeout(() => process.exit(1), 120_000);`;
    for (const [address, type] of [
      ['25.80.10.123', 'udp4'],
      ['2d00:80:10::123', 'udp6'],
    ] as const) {
      t.equal(await lab.exec('agent', process.execPath, '-e', program, address, type), '48 4 3\n');
    }
  });
}
