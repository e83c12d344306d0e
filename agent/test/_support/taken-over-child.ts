// A measuring child that was taken over, for tests of its parent. Forked by MeasuringProcess. The target of a job is the lie it
// sends: JSON of the messages to send, in which "$id" stands for the id of the job; "env" sends back its environment.
import type { ToChild } from '../../src/measuring/child-messages.js';

process.on('disconnect', () => process.exit(0));
process.on('message', (batch: ToChild[]) => {
  for (const message of batch) {
    if (message.kind !== 'run' && message.kind !== 'check') continue;
    process.send?.(lieOf(message));
  }
});

function lieOf(job: Extract<ToChild, { kind: 'run' | 'check' }>): unknown {
  const { id } = job;
  const text = job.kind === 'run' ? (JSON.parse(job.specJson) as { target: string }).target : job.target;
  if (text === 'env') return [{ kind: 'result', id, resultJson: JSON.stringify(process.env), loopLagMs: 0 }];
  if (text === 'huge') return [{ kind: 'result', id, resultJson: 'x'.repeat(2 ** 24), loopLagMs: 0 }];
  if (text === 'flood') return Array.from({ length: 9_999 }, () => ({ kind: 'fault', type: 'tcp', message: 'x' }));
  return JSON.parse(text.replaceAll('$id', id));
}
