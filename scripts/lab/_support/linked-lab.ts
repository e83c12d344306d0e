import type { Test } from 'tap';
import { type Lab, startLab } from '../lab.js';
import { type LabAgent, type LabAgentOptions, startLabAgent } from '../lab-agent.js';

/** An agent whose control plane is at the other end of a lab; both end with the test. */
export interface LinkedLab {
  readonly lab: Lab;
  readonly agent: LabAgent;
  /** The network is as it was. */
  calm(): Promise<unknown>;
  /** True if everything requested has arrived. */
  isComplete(): boolean;
  isOpen(): Promise<boolean>;
  /** Checks that every requested result came exactly once, in the order of its number. */
  nothingLostNorDoubled(t: Test): void;
}

const calmLink = { lossRatio: 0, delayMs: 0, rateBitsPerSecond: 0 };

/** Starts both, on a calm network whose losses have the same seed every time. */
export async function startLinkedLab(t: Test, options: Pick<LabAgentOptions, 'heartbeatMs'> = {}): Promise<LinkedLab> {
  const lab = await startLab({ seed: 1 });
  t.teardown(() => lab.stop());
  const agent = await startLabAgent(lab, { controlPlaneOn: 'far', ...options });
  t.teardown(() => agent.stop());
  const { seen } = agent;
  return {
    lab,
    agent,
    calm: () => Promise.all([2, 4].map((link) => lab.setLink(link, 'both', calmLink))),
    isComplete: () => seen.rows.length === seen.asked.length,
    isOpen: async () => (await agent.linkState()) === 'open',
    nothingLostNorDoubled: (t) => {
      t.same(seen.rows.map(({ taskId }) => taskId).sort(), [...seen.asked].sort());
      t.same(
        seen.rows.map(({ sequence }) => sequence),
        seen.asked.map((_, index) => index + 1),
      );
    },
  };
}
