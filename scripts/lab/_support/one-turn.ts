// Pings addresses once each, all in one turn of the event loop: one-turn.js ADDRESS...
// Prints what became of each as JSON: the name of the answer, or the code of the system's refusal.

import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { openIcmpEngine } from 'vantage-agent/net/icmp.js';

const addresses = process.argv.slice(2);
const fates = new Map<string, string>();
const engine = openIcmpEngine({
  clock: systemClock,
  onFault: (error) => {
    throw error;
  },
});
const flows = addresses.map((address) => {
  const onAnswer = ({ name }: { name: string }) => fates.set(address, name);
  const onSendError = (_: number, { code }: { code: string }) => fates.set(address, code);
  return engine.openEcho({ target: { address, family: 4 }, payloadBytes: 56, listener: { onAnswer, onSendError } });
});
for (const flow of flows) flow.send(0, 64);
await until('a word about every packet', () => fates.size === addresses.length);
process.stdout.write(JSON.stringify(addresses.map((address) => fates.get(address))));
for (const flow of flows) flow.close();
engine.close();
