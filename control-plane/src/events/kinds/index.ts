import type { Static } from 'typebox';
import { alertKinds } from './alert-kinds.js';
import { monitorKinds } from './monitor-kinds.js';
import { nodeKinds } from './node-kinds.js';
import { quietKinds } from './quiet-kinds.js';

/** Kinds of events that make webhooks. */
export const webhookEventKinds = { ...monitorKinds, ...nodeKinds, ...alertKinds };

/** The one list of kinds of events, `subject.happened`, and of what owners get to see of them. */
export const eventKinds = { ...webhookEventKinds, ...quietKinds };

export type EventKind = keyof typeof eventKinds;
export type WebhookEventKind = keyof typeof webhookEventKinds;

export type PayloadOf<K extends EventKind> = Static<(typeof eventKinds)[K]['payload']>;
