import { join } from 'node:path';
import type { AgentConfig } from '../config.js';
import { StoredSpool } from '../spool/stored-spool.js';

/** The spool of the state directory, or the one in `file`, for reading; the caller closes it. @throws SpoolOpenError */
export function openStoredSpool(config: AgentConfig, file: string | undefined): StoredSpool {
  return file === undefined ? StoredSpool.inFolder(join(config.stateDir, 'spool')) : StoredSpool.open(file);
}
