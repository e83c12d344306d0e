import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const testdata = (name: string) => fileURLToPath(new URL(`../../test/testdata/geo/${name}`, import.meta.url));

async function startIp(t: Test, ...files: string[]) {
  const directory = temporaryDirectory(t);
  for (const file of files) copyFileSync(testdata(file), path.join(directory, file));
  const { api, controlPlane } = await startStack(t, {
    VANTAGE_GEOIP_DIR: directory,
    VANTAGE_METRICS_LISTEN: '127.0.0.1:0',
    VANTAGE_TRUSTED_PROXIES: '127.0.0.1',
    VANTAGE_ALLOW_TARGETS: '',
    VANTAGE_GEOIP_ATTRIBUTION: 'Data by A, CC BY 4.0\n\n Data by B ',
  });
  const look = (q: string, headers: Record<string, string> = {}) =>
    api.call('GET', `/v1/info/ip?q=${encodeURIComponent(q)}`, { as: null, headers });
  return { api, look, metricsUrl: controlPlane.metricsUrl ?? '' };
}

const { api, look, metricsUrl } = await startIp(t, 'city.mmdb', 'asn.mmdb');

t.test('an address is answered from the databases, which are named with their dates', async (t) => {
  const { status, body, headers } = await look('81.2.69.142');
  t.match(
    [status, body.data],
    [
      200,
      {
        ip: '81.2.69.142',
        version: 4,
        network: /^81\.2\.69\.\d+\/\d+$/,
        asn: 20712,
        isp: 'Andrews & Arnold Ltd',
        org: 'Andrews & Arnold Ltd',
        country: 'GB',
        country_name: 'United Kingdom',
        province: 'GB-ENG',
        city: 'London',
        latitude: 51.5,
        longitude: -0.1,
        attribution: ['Data by A, CC BY 4.0', 'Data by B'],
      },
    ],
  );
  t.equal(body.data.sources.length, 2);
  t.match(body.data.sources, [{ built_at: /^\d{4}-/ }, { built_at: /^\d{4}-/ }]);
  t.equal(body.meta.cache, undefined);
  t.equal(headers.get('cache-control'), 'no-store');
  t.match((await look('81.2.69.142', { 'accept-language': 'zh-CN' })).body.data, { country_name: '英国' });
  t.match((await look('81.2.69.142', { 'accept-language': 'zh-TW' })).body.data, { country_name: '英國' });
  t.match((await look('::ffff:81.2.69.142')).body.data, { ip: '81.2.69.142', version: 4 });
  t.match((await look('2001:218::53')).body.data, {
    ip: '2001:218::53',
    version: 6,
    country: 'JP',
    network: /^2001:218:.*\/\d+$/,
  });
  const metrics = await (await fetch(metricsUrl)).text();
  t.match(metrics, /^vantage_geo_database_age_seconds\{type="GeoLite2-City"\} [1-9]/m);
});

t.test(
  'an address that no database knows is answered with nulls, and without a database there is no answer',
  async (t) => {
    t.match((await look('198.41.0.4')).body.data, {
      ip: '198.41.0.4',
      country: null,
      country_name: null,
      asn: null,
      network: null,
      sources: [{}, {}],
    });
    const message = /^this installation has no database of addresses: .*VANTAGE_GEOIP_DIR/;
    t.match(await (await startIp(t)).look('198.41.0.4'), {
      status: 503,
      body: {
        error: { code: 'UNAVAILABLE', message: /has not set this up/, details: { configuration: [{ message }] } },
      },
    });
  },
);

t.test(
  'the page of an address and the reference name the databases, and the lines that their licences ask for',
  async (t) => {
    const page = async (path: string) => {
      const response = await fetch(new URL(path, api.url));
      return { status: response.status, text: await response.text() };
    };
    const shown = await page('/lookup/ip/81.2.69.142');
    t.equal(shown.status, 200);
    t.match(shown.text, /<dt>Place<\/dt><dd>London, /);
    for (const name of ['GeoLite2-City', 'GeoLite2-ASN'])
      t.match(shown.text, new RegExp(`<dt>Databases</dt><dd>.*${name} \\(\\d{4}-\\d\\d-\\d\\d\\)`), name);
    for (const { text } of [shown, await page('/docs')])
      t.match(text, /<p class="muted">Data by A, CC BY 4\.0<\/p><p class="muted">Data by B<\/p>/);
    t.notMatch(shown.text, /<form/, 'there is nothing to be asked again');
  },
);

t.test('the address of the caller is that behind a trusted proxy, and must be public', async (t) => {
  const from = (address: string) =>
    api.call('GET', '/v1/info/ip/me', { as: null, headers: { 'x-forwarded-for': address } });
  t.match(await from('81.2.69.142'), { status: 200, body: { data: { ip: '81.2.69.142', country: 'GB' } } });
  t.match(await from('10.1.2.3'), {
    status: 422,
    body: { error: { code: 'PROBE_TARGET_INVALID', details: { q: [{ code: 'refused' }] } } },
  });
});

t.test('what is no address is 400, an address outside the public ranges 422', async (t) => {
  for (const text of [
    '',
    ' ',
    'example.com',
    '1.2.3.4/24',
    '[::1]',
    'https://1.1.1.1',
    '1.1.1.1:80',
    ':::',
    'a\0',
    '1'.repeat(10_000),
    '127.1',
    '2130706433',
    '0x7f.1',
    '１.1.1.1',
    'x',
  ]) {
    t.match(
      await look(text),
      { status: 400, body: { error: { code: 'VALIDATION_FAILED', details: { q: [{}] } } } },
      text.slice(0, 30),
    );
  }
  for (const text of ['127.0.0.1', '10.0.0.1', '::1', 'fe80::1', '169.254.169.254', '192.0.2.1']) {
    t.match(
      await look(text),
      { status: 422, body: { error: { code: 'PROBE_TARGET_INVALID', details: { q: [{ code: 'refused' }] } } } },
      text,
    );
  }
});
