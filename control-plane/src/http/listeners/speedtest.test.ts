import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { systemClock } from '@vantage/shared/clock.js';
import { SpeedtestEndpoint } from '@vantage/shared/speedtest/endpoint.js';
import t from 'tap';
import { thingRoutes } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';

t.test('/speedtest exists if it is enabled, next to the API and outside its envelope', async (t) => {
  const off = await startTestServer(t, thingRoutes());
  t.equal((await fetch(`${off.url}/speedtest?bytes=10`)).status, 404);

  const on = await startTestServer(t, thingRoutes(), { speedtest: new SpeedtestEndpoint(systemClock) });
  const answer = await fetch(`${on.url}/speedtest?bytes=1000000`);
  t.equal((await answer.arrayBuffer()).byteLength, 1_000_000);
  t.equal(answer.headers.get('vantage-speedtest'), '1');
  const sent = await fetch(`${on.url}/speedtest`, { method: 'POST', body: Buffer.alloc(300_000) });
  t.equal((await sent.text()).trimEnd().split('\n').at(-1), '300000', 'beyond the 32 KiB of API bodies');
  t.equal((await fetch(`${on.url}/v1/things/t_a`)).status, 200, 'the API is untouched');
});

t.test('/speedtest counts callers by their address behind trusted proxies', async (t) => {
  const { url } = await startTestServer(t, thingRoutes(), {
    // it stands still: the window in which it counts may end at any moment
    speedtest: new SpeedtestEndpoint(new FakeClock()),
    trustedProxies: ['127.0.0.1'],
  });
  const ask = async (address: string) =>
    (await fetch(`${url}/speedtest?bytes=0`, { headers: { 'x-forwarded-for': address } })).status;
  for (let i = 0; i < 12; i += 1) t.equal(await ask('192.0.2.1'), 200);
  t.equal(await ask('192.0.2.1'), 429);
  t.equal(await ask('192.0.2.2'), 200);
});
