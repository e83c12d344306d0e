import { setTimeout as pause } from 'node:timers/promises';

/** What a process holds, after its garbage has gone. */
export interface Census {
  readonly kind: 'census';
  readonly heapBytes: number;
  /** What keeps its event loop going, by name: `{ Timeout: 2, UDPWrap: 1 }`. */
  readonly resources: Readonly<Record<string, number>>;
}

// Loaded into a measuring child with --import; SIGUSR2 asks for a census. Not a message: a listener for those would take
// the ones that come before the child listens.
process.on('SIGUSR2', () => void send());

async function send(): Promise<void> {
  // what the first collection finalizes, the second one frees
  for (let turn = 0; turn < 3; turn += 1) {
    globalThis.gc?.();
    await pause(20);
  }
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo().sort()) resources[name] = (resources[name] ?? 0) + 1;
  const { heapUsed, external } = process.memoryUsage();
  process.send?.([{ kind: 'census', heapBytes: heapUsed + external, resources } satisfies Census]);
}
