// Pings loopback addresses side by side with what this process may open, and prints {kind, results, trace} as JSON.
import { systemClock } from '@vantage/shared/clock.js';
import { openIcmpEngine } from '../../src/net/icmp.js';
import { ping } from '../../src/probes/ping/index.js';
import { traceroute } from '../../src/probes/traceroute/index.js';
import { aContext, aSpec } from './probe-context.js';

const onFault = (error: Error) => {
  throw error;
};
const icmp = openIcmpEngine({ clock: systemClock, onFault });
const context = aContext({ icmp });
const targets = ['127.0.0.1', '::1', ...Array.from({ length: 20 }, (_, i) => `127.0.5.${i + 1}`)];
const results = await Promise.all(
  targets.map((target) => ping.run(aSpec('ping', target, { count: 3, interval_ms: 200 }), context)),
);
const trace = await traceroute.run(aSpec('traceroute', '127.0.0.1'), context);
icmp.close();
process.stdout.write(JSON.stringify({ kind: icmp.kind, results, trace }));
