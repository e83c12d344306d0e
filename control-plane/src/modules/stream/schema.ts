import { Type } from 'typebox';
import { open } from '../../events/index.js';
import { MonitorCheckSchema } from '../monitors/index.js';

const instant = Type.String({ format: 'date-time' });

/** `data` of every frame. */
export const FrameSchema = Type.Union([
  open({
    type: Type.String({ description: 'Kind of the event, as the name of the frame.' }),
    timestamp: instant,
    test: Type.Boolean({ description: 'True for resources of test keys.' }),
  }),
  Type.Object({
    resource: Type.Enum(['monitor', 'heartbeat'], { type: 'string' }),
    items: Type.Array(open({ id: Type.String(), updated_at: instant })),
  }),
  Type.Object({ items: Type.Array(MonitorCheckSchema) }),
  Type.Object({
    at: instant,
    version: Type.String(),
    replays_s: Type.Integer({ description: 'Longest absence after which a stream is continued, in seconds.' }),
    max_streams: Type.Integer({ description: 'Streams that an account may have at a time.' }),
  }),
  Type.Object({
    reason: Type.Enum(['unknown_id', 'too_old', 'slow', 'resync', 'expired', 'revoked', 'draining'], {
      type: 'string',
      description: 'Of `reset`: `unknown_id`, `too_old`, `slow`, `resync`. Of `bye`: `expired`, `revoked`, `draining`.',
    }),
  }),
]);
