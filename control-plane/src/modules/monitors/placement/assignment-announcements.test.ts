import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { pino } from 'pino';
import t from 'tap';
import type { BusMessage } from '../../../bus/bus.js';
import { AssignmentAnnouncements } from './assignment-announcements.js';

/** Two replicas, of which the second hears the first; what the links of node n_1 were asked to look for. */
function replicas() {
  const listeners: ((message: BusMessage) => void)[] = [];
  const asked: (readonly string[])[] = [];
  const link = {
    lookForAssignments: () => void asked.push(['all']),
    lookForAssignmentsOf: (monitorIds: readonly string[]) => void asked.push(monitorIds),
  };
  const bus = {
    broadcast: (message: BusMessage) => listeners.forEach((listener) => listener(message)),
    onMessage: (listener: (message: BusMessage) => void) => void listeners.push(listener),
  };
  const [first, second] = [null, link].map(
    (held) =>
      new AssignmentAnnouncements({
        bus: bus as never,
        listSince: async () => [],
        findLink: (nodeId) => (nodeId === 'n_1' ? held : null),
        clock: new FakeClock(),
        log: pino({ level: 'silent' }),
      }),
  );
  second?.start();
  return {
    announce: (changes: Parameters<AssignmentAnnouncements['announce']>[0]) => first?.announce(changes),
    asked,
    second,
  };
}

t.test(
  'the replica that holds the link of a node hears which monitors changed, or of many that some did',
  async (t) => {
    const { announce, asked, second } = replicas();
    t.teardown(() => second?.stop());
    announce([
      { id: 'm_1', nodeIds: ['n_1', 'n_2'] },
      { id: 'm_2', nodeIds: ['n_1'] },
      { id: 'm_3', nodeIds: [] },
    ]);
    t.same(asked.splice(0), [['m_1'], ['m_2']]);
    announce(Array.from({ length: 101 }, (_, index) => ({ id: `m_${index}`, nodeIds: ['n_1', 'n_2'] })));
    t.same(asked, [['all']]);
  },
);
