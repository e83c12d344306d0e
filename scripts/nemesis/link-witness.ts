import { type DecodedResult, decodeAgentFrame, decodeServerFrame, laneName } from '@vantage/shared/protocol/codec.js';
import { slotsOfReport, subjectOfSlots } from '../invariants/slot-reports.js';
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
    const subjects = results.results.map((result) => subjectOfSlots(result, nodeId) ?? result.taskId);
    recorder.record('sent', { nodeId, epoch: hex(epoch), lane: laneName(results.lane), first, subjects });
    for (const [index, result] of results.results.entries()) {
      const subject = subjects[index] ?? '';
      const slots = slotsOfReport(result);
      if (slots !== null) recorder.record('told', { subject, nodeId, ...slots });
      recorder.record('produced', { subject, nodeId, durationMs: slots === null ? durationOf(result) : 0 });
    }
  });
  const down = new WireTap((payload) => {
    const { ack, assignments } = decodeServerFrame(payload);
    if (assignments) recorder.record('heard', { nodeId, ...heardOf(assignments) });
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

function durationOf({ resultJson }: DecodedResult): number {
  return (JSON.parse(Buffer.from(resultJson).toString()) as { duration_ms: number }).duration_ms;
}

function heardOf({ set, dropped, begins, ends }: NonNullable<ReturnType<typeof decodeServerFrame>['assignments']>) {
  const watched = set.map(({ monitorId, generation, specJson }) => {
    const { interval_s } = JSON.parse(Buffer.from(specJson).toString()) as { interval_s: number };
    return { monitorId, generation, intervalMs: interval_s * 1_000 };
  });
  return { set: watched, dropped, isEverything: begins && ends };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
