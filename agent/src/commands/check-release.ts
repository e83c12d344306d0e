import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@vantage/shared/clock.js';
import type { AgentConfig } from '../config.js';
import type { ExitName } from '../exit-codes.js';
import { createLog } from '../log.js';
import { MeasuringProcess } from '../measuring/measuring-process.js';
import { SPOOL_FILE_NAME } from '../spool/database.js';
import { SpoolOpenError } from '../spool/errors.js';
import { Spool } from '../spool/spool.js';
import { StoredSpool } from '../spool/stored-spool.js';
import { AGENT_VERSION } from '../version.js';

/** Begins the names of folders with a copy of the spool; one that a killed check left behind is removed by the next. */
const COPY_PREFIX = '.check-release-';
/** Loading engines takes seconds on a small machine. */
const BEFORE_LIMIT_MS = 60_000;
const log = createLog('silent');
const run = promisify(execFile);

/**
 * Tries what this version needs to run here, without the identity and the link of the node. `before`: program of the
 * version that it replaces, which has to be able to read the spool afterwards.
 */
export async function checkRelease({ stateDir, engines }: AgentConfig, before?: string): Promise<ExitName> {
  const capabilities = await loadEngines(engines);
  process.stdout.write(
    `version ${AGENT_VERSION}, Node.js ${process.versions.node}\nmeasures: ${['plain sockets', ...capabilities].join(', ')}\n`,
  );
  process.stdout.write(`${await openCopyOfSpool(stateDir, before)}\n`);
  return 'ok';
}

async function loadEngines(settings: AgentConfig['engines']): Promise<readonly string[]> {
  const measuring = new MeasuringProcess({ settings, serviceUrl: 'https://vantage.invalid', clock: systemClock, log });
  measuring.start();
  const capabilities = await measuring.ready();
  await measuring.stop();
  return capabilities;
}

/** Opens a copy of the spool as this version would, and returns what it found. @throws Error when results would be lost */
async function openCopyOfSpool(stateDir: string, before?: string): Promise<string> {
  const stored = findSpool(stateDir);
  if (stored === null) return 'spool: none so far';
  try {
    await removeCopies(stateDir);
    const copy = await mkdtemp(join(stateDir, COPY_PREFIX));
    const folder = join(copy, 'spool');
    await mkdir(folder);
    await stored.copyTo(join(folder, SPOOL_FILE_NAME));
    const spool = await Spool.open({ folder, log, clock: systemClock });
    const { rows, setAside } = spool.stats();
    await spool.close();
    if (setAside !== null) throw new Error('this version cannot read the spool');
    if (before !== undefined) await tryBefore(before, copy);
    return `spool: a copy opens, ${rows} results wait`;
  } finally {
    stored.close();
    await removeCopies(stateDir);
  }
}

/** Lets the version before try the copy that this one has written. @throws Error with its reason */
async function tryBefore(program: string, stateDir: string): Promise<void> {
  try {
    await run(program, ['check-release', '--state-dir', stateDir], { timeout: BEFORE_LIMIT_MS });
  } catch (cause) {
    const reason = (cause as { stderr?: string }).stderr?.trim().split('\n').at(-1) || String(cause);
    throw new Error(`there would be no way back, for ${program} cannot read the spool afterwards: ${reason}`, {
      cause,
    });
  }
}

function findSpool(stateDir: string): StoredSpool | null {
  try {
    return StoredSpool.inFolder(join(stateDir, 'spool'));
  } catch (error) {
    if (error instanceof SpoolOpenError) return null;
    throw error;
  }
}

async function removeCopies(stateDir: string): Promise<void> {
  const names = (await readdir(stateDir)).filter((name) => name.startsWith(COPY_PREFIX));
  for (const name of names) await rm(join(stateDir, name), { recursive: true, force: true });
}
