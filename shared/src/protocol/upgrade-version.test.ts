import t from 'tap';
import { isUpgradeVersion } from './upgrade-version.js';

t.test('an upgrade is requested by a plain version, never by text that a command could misinterpret', async (t) => {
  for (const version of ['0.2.0', '10.20.30', '1.4.0-rc.2', '1.0.0-a1']) t.ok(isUpgradeVersion(version), version);
  const wrong = ['', 'v1.0.0', '1.0', '--help', '-1.0.0', '1.0.0 ', '1.0.0\n', '1.0.0;id', '1.0.0-', '1.0.0-a..b'];
  wrong.push('../1.0.0', '$(id)', '1.0.0/x', '1.0.0+b', '１.0.0', '999999.0.0', `1.0.0-${'a'.repeat(27)}`);
  for (const version of wrong) t.notOk(isUpgradeVersion(version), JSON.stringify(version));
});
