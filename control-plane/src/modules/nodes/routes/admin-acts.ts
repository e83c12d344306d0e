import { UPGRADE_VERSION_LENGTH, UPGRADE_VERSION_PATTERN } from '@vantage/shared/protocol/upgrade-version.js';
import { Type } from 'typebox';
import type { AnyRoute } from '../../../http/route.js';
import { adminAct } from './admin-act.js';

/** What admins do to nodes, each in the audit log of the node. */
export const adminActs: readonly AnyRoute[] = [
  adminAct({
    operationId: 'banNode',
    name: 'ban',
    summary: 'Ban a node',
    description:
      'Closes its link within a second on whichever replica holds it, refuses it from then on, and stores nothing of it any more. What it measured before is marked `trust: banned_since`.',
    body: Type.Object(
      {
        reason: Type.String({
          minLength: 1,
          maxLength: 500,
          description: 'Kept in the audit log; shown to its owner.',
        }),
      },
      { additionalProperties: false },
    ),
    bodyExample: { reason: 'reports forged results' },
    errors: ['NODE_ALREADY_BANNED'],
    act: (acts, on, { reason }) => acts.ban(on, reason),
  }),
  adminAct({
    operationId: 'unbanNode',
    name: 'unban',
    summary: 'Lift a ban or a quarantine',
    description:
      'Its agent has ended and must be started again. After a quarantine the first state directory that connects is the node; another copy of it is noticed again.',
    errors: ['NODE_NOT_BANNED'],
    act: (acts, on) => acts.unban(on),
  }),
  adminAct({
    operationId: 'drainNode',
    name: 'drain',
    summary: 'Drain a node',
    description:
      'It gets no new work, finishes what it has, and keeps its link. Whoever names it gets 503 NODE_OFFLINE.',
    errors: ['NODE_STATE_CONFLICT'],
    act: (acts, on) => acts.drain(on),
  }),
  adminAct({
    operationId: 'undrainNode',
    name: 'undrain',
    summary: 'Give a drained node work again',
    errors: ['NODE_STATE_CONFLICT'],
    act: (acts, on) => acts.undrain(on),
  }),
  adminAct({
    operationId: 'upgradeNode',
    name: 'upgrade',
    summary: 'Ask a node for another version of its agent',
    description:
      'Asks only: what a node does about it is up to its operator, who may have configured a command. `upgrade` of the node tells what comes of it: done when the node connects with that version, failed with NODE_UPGRADE_FAILED and a reason when it refuses, fails, or does neither for 15 minutes.',
    body: Type.Object(
      {
        version: Type.String({
          pattern: UPGRADE_VERSION_PATTERN,
          maxLength: UPGRADE_VERSION_LENGTH,
          description: 'As 1.4.0 or 1.4.0-rc.2.',
        }),
      },
      { additionalProperties: false },
    ),
    bodyExample: { version: '0.2.0' },
    status: 202,
    errors: ['NODE_OFFLINE', 'NODE_STATE_CONFLICT'],
    act: (acts, on, { version }) => acts.upgrade(on, version),
  }),
];
