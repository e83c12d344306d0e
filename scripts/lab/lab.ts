import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { demandLab } from './demand-lab.js';
import {
  compileEmulator,
  type Emulator,
  type LinkSettings,
  type LinkStatus,
  linkStatus,
  seedLinks,
  setDirection,
  startEmulator,
} from './emulator.js';
import { addNamespace, namespaceOf, run, spawnIn } from './namespaces.js';
import { claim, directoryOf, environmentOf, removeLab, removeOrphans, socketOf } from './records.js';
import { type ServerName, startServers } from './servers/index.js';
import {
  type Direction,
  type Host,
  hostsOf,
  linksOf,
  networkCommands,
  serviceAddresses,
  settingsScript,
} from './topology.js';

export interface LabOptions {
  /** Names its namespaces `vlab-NAME-HOST`; one of its own without it, so that labs stand side by side. */
  readonly name?: string;
  /** Servers on `far`; none without it. */
  readonly servers?: readonly ServerName[];
  /** A second road from r1 to r3, by r2b; flows of UDP and TCP spread over both by their ports. */
  readonly ecmp?: boolean;
  /** Seed of the links' random numbers. */
  readonly seed?: number;
}

/** A small internet in network namespaces. */
export interface Lab {
  readonly name: string;
  readonly isEcmp: boolean;
  /** The process that is the links. */
  readonly emulatorPid: number;
  /** Runs a program on a machine. @returns what it printed; @throws Error with its standard error when it fails */
  exec(host: Host, ...command: string[]): Promise<string>;
  /** Starts a program on a machine; it ends at `stop` at the latest. */
  spawn(host: Host, command: readonly string[], options?: SpawnOptions): ChildProcess;
  /** Changes what is given of one or both directions of a link, from the next frame on; the rest stays. */
  setLink(link: number, direction: Direction | 'both', settings: Partial<LinkSettings>): Promise<void>;
  /** Restarts the random numbers of all links. */
  seed(seed: number): Promise<void>;
  /** Settings and exact counters of every direction of every link. */
  links(): Promise<LinkStatus[]>;
  link(link: number, direction: Direction): Promise<LinkStatus>;
  /** Removes all of it: processes, namespaces, files. */
  stop(): Promise<void>;
}

/**
 * Creates a lab; `stop` removes it, and so do SIGINT and SIGTERM. Remains of a killed process are removed by the next
 * lab or by `npm run lab -- down`.
 * @throws MissingProgramsError naming a Debian package, Error without root
 */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const { name = `t${process.pid}-${randomBytes(2).toString('hex')}`, servers = [], ecmp: isEcmp = false } = options;
  demandLab();
  await compileEmulator();
  await removeOrphans();
  await claim({ name, isEcmp, servers });
  const labels = { name, isEcmp, servers, seed: options.seed ?? randomInt(2 ** 32) };
  let emulator: Emulator | null = null;
  const remove = async () => {
    await emulator?.stop();
    await removeLab(name);
  };
  const endWatch = removeOnSignal(remove);
  const stop = async () => {
    endWatch();
    await remove();
  };
  try {
    emulator = await makeNetwork(labels);
    await startServers(servers, { namespace: namespaceOf(name, 'far'), directory: directoryOf(name) });
    return makeLab(labels, emulator, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Labels {
  readonly name: string;
  readonly isEcmp: boolean;
  readonly seed: number;
}

async function makeNetwork({ name, isEcmp, seed }: Labels): Promise<Emulator> {
  const present = hostsOf(isEcmp);
  const { v4, v6 } = serviceAddresses('resolver');
  await Promise.all(present.map((host) => addNamespace(namespaceOf(name, host), [v4, v6])));
  await Promise.all(present.map((host) => run('ip', inside(name, host, 'sh', '-ec', settingsScript))));
  const emulator = await startEmulator({ lab: name, links: linksOf(isEcmp), socket: socketOf(name), seed });
  try {
    await Promise.all(present.map((host) => configure(name, host, isEcmp)));
  } catch (error) {
    await emulator.stop();
    throw error;
  }
  return emulator;
}

async function configure(name: string, host: Host, isEcmp: boolean): Promise<void> {
  const input = `${networkCommands(host, isEcmp).join('\n')}\n`;
  await run('ip', ['-n', namespaceOf(name, host), '-batch', '-'], { input });
}

function inside(name: string, host: Host, ...command: string[]): string[] {
  return ['netns', 'exec', namespaceOf(name, host), ...command];
}

function makeLab({ name, isEcmp }: Labels, emulator: Emulator, stop: () => Promise<void>): Lab {
  const socket = socketOf(name);
  const links = () => linkStatus(socket);
  return {
    name,
    isEcmp,
    emulatorPid: emulator.pid,
    exec: (host, ...command) => run('ip', inside(name, host, ...command), { env: environmentOf(name) }),
    spawn: (host, command, options) =>
      spawnIn(namespaceOf(name, host), command, { env: environmentOf(name), ...options }),
    setLink: async (link, direction, settings) => {
      for (const way of direction === 'both' ? (['forth', 'back'] as const) : [direction]) {
        await setDirection(socket, link, way, settings);
      }
    },
    seed: (seed) => seedLinks(socket, seed),
    links,
    link: async (number, direction) => {
      const found = (await links()).find((status) => status.link === number && status.direction === direction);
      if (found === undefined) throw new Error(`no link ${number}`);
      return found;
    },
    stop: once(stop),
  };
}

/** However often it is asked for, it is done once. */
function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= action();
    return running;
  };
}

/** On a signal, calls `remove` and then ends this process as the signal would have. @returns ends the watch */
function removeOnSignal(remove: () => Promise<void>): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (signal: NodeJS.Signals) => {
    endWatch();
    void remove().finally(() => process.kill(process.pid, signal));
  };
  const endWatch = () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return endWatch;
}
