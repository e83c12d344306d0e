import { decodeAgentFrame, decodeServerFrame, laneName } from '@vantage/shared/protocol/codec.js';
import type { Recorder } from './recorder.js';
import type { Tap } from './toxic-proxy.js';
import { WireTap } from './wire-tap.js';

/** Writes down what goes over one agent's link: batches that were sent, and what was acknowledged. */
export function witnessLink(recorder: Recorder): Tap {
  let nodeId = '';
  const up = new WireTap((payload) => {
    const { hello, results } = decodeAgentFrame(payload);
    if (hello) nodeId = hello.nodeId;
    if (!results) return;
    const { epoch, first } = results;
    const subjects = results.results.map(({ taskId }) => taskId);
    recorder.record('sent', { nodeId, epoch: hex(epoch), lane: laneName(results.lane), first, subjects });
    for (const { taskId, resultJson } of results.results) {
      const { duration_ms: durationMs } = JSON.parse(Buffer.from(resultJson).toString()) as { duration_ms: number };
      recorder.record('produced', { subject: taskId, nodeId, durationMs });
    }
  });
  const down = new WireTap((payload) => {
    const { ack } = decodeServerFrame(payload);
    if (!ack || ack.rewind) return;
    const rejected = ack.rejects.map(({ sequence }) => sequence);
    recorder.record('acknowledged', {
      nodeId,
      epoch: hex(ack.epoch),
      lane: laneName(ack.lane),
      mark: ack.mark,
      rejected,
    });
  });
  return { up: (bytes) => up.take(bytes), down: (bytes) => down.take(bytes) };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
