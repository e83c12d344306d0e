import type { Static } from 'typebox';
import { alertKinds } from './alert-kinds.js';
import { monitorKinds } from './monitor-kinds.js';
import { nodeKinds } from './node-kinds.js';

/** The one list of kinds of events, `subject.happened`, and of the webhooks that they make. */
export const eventKinds = { ...monitorKinds, ...nodeKinds, ...alertKinds };

export type EventKind = keyof typeof eventKinds;

export type PayloadOf<K extends EventKind> = Static<(typeof eventKinds)[K]['payload']>;
