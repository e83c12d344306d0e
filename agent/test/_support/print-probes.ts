// Runs each probe of a JSON list of [type, target, params] as `vantage-agent probe` does, for people and as JSON; a form
// feed follows each output.

import { probe } from '../../src/commands/probe.js';
import { parseConfig } from '../../src/config.js';

const asked: [type: string, target: string, params: string[]][] = JSON.parse(process.argv[2] ?? '[]');
const config = parseConfig({ VANTAGE_ALLOW_TARGETS: '127.0.0.0/8' });
for (const [type, target, param] of asked) {
  for (const json of [false, true]) {
    await probe(config, type, target, { param, json });
    process.stdout.write('\f');
  }
}
