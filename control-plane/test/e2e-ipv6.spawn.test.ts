import { probeTypeNames } from '@vantage/shared/probe-types/index.js';
import t from 'tap';
import { makeProbeCase, optionsOf, runCase } from './_support/probe-cases.js';
import { RealAgent } from './_support/real-agent.js';
import { startStack } from './_support/stack.js';

t.test('the API, the link and a probe of every type run over IPv6', async (t) => {
  const { api } = await startStack(t, { VANTAGE_LISTEN: '[::1]:0', VANTAGE_SPEEDTEST: 'on' });
  t.match(api.url, /^http:\/\/\[::1\]:\d+$/);
  await RealAgent.start(t, api);
  for (const type of probeTypeNames) {
    await t.test(type, optionsOf(type), async (t) => {
      const asked = await makeProbeCase(type, t, { host: '::1', controlPlaneUrl: api.url });
      const { node_results } = await runCase(api, type, asked);
      t.match(node_results, [{ success: true, ...asked.found }]);
    });
  }
});
