import { readFileSync } from 'node:fs';
import t from 'tap';
import { agentUserAgent, serviceName, userAgentWith } from './user-agent.js';

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const product = `vantage-agent/${manifest.version}`;

t.test('user agent names the agent, its version and where to complain, whatever the caller sets', async (t) => {
  const ours = agentUserAgent('https://vantage.operator.example');
  t.equal(ours, `${product} (+https://vantage.operator.example/abuse)`);
  t.equal(userAgentWith(undefined, ours), ours);
  t.equal(userAgentWith(' ', ours), ours);
  t.equal(userAgentWith('curl/8', ours), `curl/8 ${ours}`);
});

t.test('without a control plane, or with an invalid address, the user agent is the name alone', async (t) => {
  t.equal(agentUserAgent(null), product);
  t.equal(agentUserAgent('not an address'), product);
});

t.test('the service is named by its public name, and by nothing else', async (t) => {
  t.equal(serviceName(agentUserAgent('https://vantage.operator.example:8443')), 'vantage.operator.example');
  for (const url of [null, 'http://127.0.0.1:8080', 'http://[::1]:8080', 'http://localhost:8080'])
    t.equal(serviceName(agentUserAgent(url)), null, String(url));
});
