// Pings addresses as fast as the engine can, below the interval that probes keep: ping-flood.js COUNT ADDRESS...
// Prints {sent, received, seconds, cpuSeconds} as JSON. Every packet is logged as in a probe. An agent runs for weeks,
// so the measurement follows three floods that do not count, during which the compiler works.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '@vantage/shared/clock.js';
import { type IcmpEngine, openIcmpEngine } from 'vantage-agent/net/icmp.js';
import { PacketLog } from 'vantage-agent/probes/ping/packet-log.js';

const timeoutMs = 500;
/** Packets between two turns in which answers are read. */
const burst = 64;
const [countText = '', ...addresses] = process.argv.slice(2);

/** Sends `count` packets to each address in turns and waits for the last answer. */
async function flood(engine: IcmpEngine, count: number) {
  const total = count * addresses.length;
  let answers = 0;
  const pings = addresses.map((address) => {
    const log = new PacketLog({ count, timeoutMs });
    const onAnswer = ({ index, rttMs, ttl }: { index: number; rttMs: number; ttl: number | null }) => {
      log.answer(index, rttMs, ttl);
      answers += 1;
    };
    const listener = { onAnswer, onSendError: fail };
    return { log, flow: engine.openEcho({ target: { address, family: 4 }, payloadBytes: 56, listener }) };
  });
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let sent = 0;
  for (let index = 0; index < count; index += 1) {
    for (const { log, flow } of pings) {
      log.markSent(index);
      flow.send(index, 64);
      sent += 1;
      if (sent % burst === 0) await nextTurn();
    }
  }
  let lastAnswerAt = performance.now();
  for (let seen = answers; answers < total && performance.now() < lastAnswerAt + timeoutMs; await nextTurn()) {
    if (answers > seen) lastAnswerAt = performance.now();
    seen = answers;
  }
  const endedAt = answers < total ? lastAnswerAt : performance.now();
  const { user, system } = process.cpuUsage(cpuBefore);
  for (const { flow } of pings) flow.close();
  const received = pings.reduce((sum, { log }) => sum + log.summary().packets_received, 0);
  return { sent, received, seconds: (endedAt - startedAt) / 1000, cpuSeconds: (user + system) / 1e6 };
}

function fail(failure: unknown): never {
  throw new Error(`the engine failed: ${String(failure)}`);
}

const engine = openIcmpEngine({ clock: systemClock, onFault: fail });
for (let round = 0; round < 3; round += 1) await flood(engine, Number(countText));
process.stdout.write(JSON.stringify(await flood(engine, Number(countText))));
engine.close();
