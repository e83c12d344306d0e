import { UPGRADE_VERSION_LENGTH, UPGRADE_VERSION_PATTERN } from '@vantage/shared/protocol/upgrade-version.js';
import { Type } from 'typebox';
import type { AnyRoute } from '../../../http/route.js';
import { adminAct } from './admin-act.js';

/** Acts of admins on nodes; the audit log of the account that owns the node gets an entry for each. */
export const adminActs: readonly AnyRoute[] = [
  adminAct({
    operationId: 'banNode',
    name: 'ban',
    summary: 'Ban a node',
    description:
      'Closes the link of the node within a second, refuses further connections, and stores no further results. Its earlier results are marked `trust: banned_since`.',
    body: Type.Object(
      {
        reason: Type.String({
          minLength: 1,
          maxLength: 500,
          description: 'Stored in the audit log, and shown to the owner of the node.',
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
      'The agent has stopped and must be started again. After a quarantine, the first state directory that connects becomes the node; any other copy is detected again.',
    errors: ['NODE_NOT_BANNED'],
    act: (acts, on) => acts.unban(on),
  }),
  adminAct({
    operationId: 'drainNode',
    name: 'drain',
    summary: 'Drain a node',
    description:
      'The node gets no new work, finishes its current work, and keeps its link. Requests that name it get 503 NODE_OFFLINE.',
    errors: ['NODE_STATE_CONFLICT'],
    act: (acts, on) => acts.drain(on),
  }),
  adminAct({
    operationId: 'undrainNode',
    name: 'undrain',
    summary: 'Undrain a node',
    errors: ['NODE_STATE_CONFLICT'],
    act: (acts, on) => acts.undrain(on),
  }),
  adminAct({
    operationId: 'upgradeNode',
    name: 'upgrade',
    summary: 'Upgrade the agent of a node',
    description:
      'Sends a request to the node, which runs the upgrade command if its operator has configured one. `upgrade` of the node shows the outcome: done when the node connects with that version; failed, with NODE_UPGRADE_FAILED and a reason, when it refuses, fails, or does not connect with that version within 15 minutes.',
    body: Type.Object(
      {
        version: Type.String({
          pattern: UPGRADE_VERSION_PATTERN,
          maxLength: UPGRADE_VERSION_LENGTH,
          description: 'Version, such as 1.4.0 or 1.4.0-rc.2.',
          example: '1.4.0',
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
