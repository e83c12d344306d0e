import { setTimeout as pause } from 'node:timers/promises';

/** Resources of a process after a garbage collection. */
export interface Census {
  readonly kind: 'census';
  readonly heapBytes: number;
  /** Resources that keep its event loop running, by name: `{ Timeout: 2, UDPWrap: 1 }`. */
  readonly resources: Readonly<Record<string, number>>;
}

// Loaded into a measuring child with --import; SIGUSR2 asks for a census. A signal and not a message: a listener for
// messages would take those that arrive before the child listens.
process.on('SIGUSR2', () => void send());

async function send(): Promise<void> {
  // the second collection frees what the first one finalizes
  for (let turn = 0; turn < 3; turn += 1) {
    globalThis.gc?.();
    await pause(20);
  }
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo().sort()) resources[name] = (resources[name] ?? 0) + 1;
  const { heapUsed, external } = process.memoryUsage();
  process.send?.([{ kind: 'census', heapBytes: heapUsed + external, resources } satisfies Census]);
}
