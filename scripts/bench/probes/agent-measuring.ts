// The agent's MeasuringProcess in place of the bare child of a prober: the same messages, with children that are
// replaced when they have grown, which is logged on standard error.
import { systemClock } from '@vantage/shared/clock.js';
import { createLog } from 'vantage-agent/log.js';
import type { FromChild, ToChild } from 'vantage-agent/measuring/child-messages.js';
import { MeasuringProcess } from 'vantage-agent/measuring/measuring-process.js';

const log = createLog('info');
let measuring: MeasuringProcess | null = null;

process.on('message', (batch: ToChild[]) => {
  for (const message of batch) void take(message);
});
process.on('disconnect', () => void measuring?.stop().then(() => process.exit(0)));

async function take(message: ToChild): Promise<void> {
  switch (message.kind) {
    case 'begin':
      measuring = new MeasuringProcess({ ...message, clock: systemClock, log });
      measuring.start();
      tell({ kind: 'ready', capabilities: await measuring.ready() });
      break;
    case 'run':
      if (measuring !== null) tell({ kind: 'result', ...(await measuring.measure(message)) });
      break;
    case 'lists':
      measuring?.setLists(message.lists);
      break;
    case 'cancel':
      measuring?.cancel(message.id);
      break;
  }
}

function tell(message: FromChild): void {
  process.send?.([message], () => undefined);
}
