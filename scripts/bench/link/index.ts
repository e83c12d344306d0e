import type { Part } from '../harness.js';
import { agentMemory } from './agent-memory.js';
import { ingest } from './ingest.js';
import { storm } from './storm.js';

/** The one list of parts about links of nodes. */
export const linkParts: readonly Part[] = [ingest, storm, agentMemory];
