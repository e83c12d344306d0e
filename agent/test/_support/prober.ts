// Runs pings and traceroutes where it is started: prober.js ALLOWED. Reads one JSON request per line, {id, type, target,
// params}, and prints one JSON answer per line, {id, result}, in whatever order they come; ends with its input.
import { createInterface } from 'node:readline';
import { systemClock } from '@vantage/shared/clock.js';
import { detectCapabilities } from '../../src/capabilities.js';
import { ping } from '../../src/probes/ping/index.js';
import { traceroute } from '../../src/probes/traceroute/index.js';
import { aContext, aPolicy, aSpec } from './probe-context.js';

interface Request {
  readonly id: number;
  readonly type: 'ping' | 'traceroute';
  readonly target: string;
  readonly params: object;
}

const { icmp } = detectCapabilities({
  clock: systemClock,
  onFault: (error) => {
    throw error;
  },
});
const policy = aPolicy(JSON.parse(process.argv[2] ?? '[]'));
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => void answer(JSON.parse(line)));
lines.on('close', () => icmp?.close());
process.stdout.write('ready\n');

async function answer({ id, type, target, params }: Request): Promise<void> {
  const context = aContext({ icmp, policy });
  const result =
    type === 'ping'
      ? await ping.run(aSpec('ping', target, params), context)
      : await traceroute.run(aSpec('traceroute', target, params), context);
  process.stdout.write(`${JSON.stringify({ id, result })}\n`);
}
