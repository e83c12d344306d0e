import { readFileSync } from 'node:fs';
import t from 'tap';
import { USER_AGENT, userAgentWith } from './user-agent.js';

t.test('user agent names the service, its version and where to complain, whatever the caller sets', async (t) => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  t.match(USER_AGENT, /^Vantage\/\S+ \(\+https:\/\/\S+\)$/);
  t.ok(USER_AGENT.startsWith(`Vantage/${manifest.version} `));
  t.equal(userAgentWith(undefined), USER_AGENT);
  t.equal(userAgentWith('curl/8'), `curl/8 ${USER_AGENT}`);
});
