import { ALERT_CHANNELS } from '../database/alerts-model.js';
import type { Manner } from '../receivers.js';
import type { Fault } from './fault.js';

const faultOf = (manner: Manner): Fault => ({
  name: `receiver ${manner}`,
  lastsMs: [1_000, 20_000],
  begin: ({ receivers }, random) => {
    const channel = random.pick(ALERT_CHANNELS);
    receivers.set(channel, manner);
    return () => receivers.set(channel, 'accepts');
  },
});

export const receiverFaults: readonly Fault[] = [faultOf('refuses'), faultOf('stays silent'), faultOf('is away')];
