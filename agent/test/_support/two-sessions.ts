// Pings a living and a missing host at the same time, once by net-ping and once by the agent: two-sessions.js ALIVE MISSING.
// Prints who was taken for alive: {netPing: {ADDRESS: boolean}, agent: {ADDRESS: boolean}}.
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '@vantage/shared/clock.js';
import * as netPing from 'net-ping';
import { detectCapabilities } from '../../src/capabilities.js';
import { ping } from '../../src/probes/ping/index.js';
import { aContext, aPolicy, aSpec } from './probe-context.js';

const timeoutMs = 1000;
const targets = process.argv.slice(2);
const { icmp } = detectCapabilities({ clock: systemClock, onFault: () => {} });

const byNetPing = await Promise.all(targets.map(netPingSays));
const byAgent = await Promise.all(targets.map(agentSays));
icmp?.close();
const answer = JSON.stringify({ netPing: Object.fromEntries(byNetPing), agent: Object.fromEntries(byAgent) });
// net-ping may leave a raw socket behind, which would keep this process
process.stdout.write(answer, () => process.exit(0));

/** net-ping now and then never calls back: then it is asked again. */
async function netPingSays(target: string): Promise<[string, boolean]> {
  for (;;) {
    const isAlive = await Promise.race([askNetPing(target), setTimeout(4 * timeoutMs, null)]);
    if (isAlive !== null) return [target, isAlive];
    process.stderr.write('net-ping is silent\n');
  }
}

function askNetPing(target: string): Promise<boolean> {
  const session = netPing.createSession({ timeout: timeoutMs, retries: 0 });
  return new Promise((resolve) => {
    session.pingHost(target, (error) => {
      session.close();
      resolve(error === null);
    });
  });
}

async function agentSays(target: string): Promise<[string, boolean]> {
  const context = aContext({ icmp, policy: aPolicy(['127.0.0.0/8', '10.71.0.0/16']) });
  const { success } = await ping.run(aSpec('ping', target, { count: 1, timeout_ms: timeoutMs }), context);
  return [target, success];
}
