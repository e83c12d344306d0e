import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { defineKind, instant, record } from './kind.js';

const monitor = record({
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  target: Type.String(),
  tags: Type.Optional(Type.Array(Type.String())),
  group_id: Type.Optional(nullable(Type.String(), 'it is in none')),
});

const event = record({
  id: Type.String(),
  type: Type.Union([Type.Literal('down'), Type.Literal('degraded')]),
  started_at: instant,
  ended_at: nullable(instant, 'it has not ended'),
  resolved_at: nullable(instant, 'no user has resolved it'),
  affected_nodes: Type.Array(Type.String()),
  reason: nullable(Type.String(), 'none is known'),
});

/** `is_flapping`: the change belongs to a period of flapping, which `monitor.flapping` reports. */
const ofEvent = defineKind('monitor', record({ monitor, event, is_flapping: Type.Boolean() }));
const ofMonitor = defineKind('monitor', record({ monitor }));

/** Published once per threshold and date. */
const ofExpiry = defineKind(
  'monitor',
  record({ monitor, expires_at: instant, days_left: Type.Integer(), threshold_days: Type.Integer() }),
);

/** Kinds of events whose subject is a monitor. */
export const monitorKinds = {
  'monitor.down': ofEvent,
  'monitor.degraded': ofEvent,
  'monitor.up': ofEvent,
  'monitor.resolved': defineKind('monitor', record({ monitor, event, resolved_by: Type.String() })),
  'monitor.acknowledged': defineKind('monitor', record({ monitor, event, acknowledged_by: Type.String() })),
  'monitor.paused': ofMonitor,
  'monitor.resumed': ofMonitor,
  'monitor.archived': ofMonitor,
  'monitor.deleted': ofMonitor,
  /** Flapping begins, or is over. */
  'monitor.flapping': defineKind('monitor', record({ monitor, is_flapping: Type.Boolean(), is_up: Type.Boolean() })),
  /** For five minutes nothing was known of an active monitor, or that is over. */
  'monitor.no_data': defineKind('monitor', record({ monitor, since: instant, is_over: Type.Boolean() })),
  'ssl.expiring': ofExpiry,
  'domain.expiring': ofExpiry,
} as const;
