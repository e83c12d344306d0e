import { type Static, type TProperties, Type } from 'typebox';
import { defineQuietKind, type KindDefinition, record } from './kind.js';
import {
  exampleData,
  examplePayload,
  id,
  MonitorData,
  monitorRecord as monitor,
  monitorPart,
  nodeId,
} from './parts.js';

function ofMonitor(summary: string) {
  return defineQuietKind('monitor', record({ monitor }), {
    summary,
    full: MonitorData,
    eventExample: examplePayload,
    example: exampleData,
    dataOf: ({ monitor }, context) => monitorPart(monitor, context),
  });
}

/** Kind that is shown as it was published. */
function plain<T extends TProperties>(
  subject: KindDefinition['subject'],
  properties: T,
  { summary, example }: { readonly summary: string; readonly example: Static<ReturnType<typeof record<T>>> },
) {
  const payload = record(properties);
  const dataOf = (own: Static<typeof payload>) => own;
  return defineQuietKind(subject, payload, { summary, full: payload, eventExample: example, example, dataOf });
}

/** Kinds of events that the stream shows, and no webhook sends. */
export const quietKinds = {
  'monitor.created': ofMonitor('A monitor was created.'),
  'monitor.changed': ofMonitor('The settings of a monitor were changed.'),
  'enrollment.used': plain(
    'enrollmentToken',
    { token_id: Type.String(), node_id: id(nodeId) },
    {
      summary: 'A node was enrolled with a token.',
      example: { token_id: 'et_1FZ3ybQXhhsV3cDKtVoMjX', node_id: nodeId },
    },
  ),
  'session.ended': plain(
    'session',
    { session_id: Type.String() },
    {
      summary: 'A session was ended before its time.',
      example: { session_id: 'ses_1FZ3ybQXhhsV3cDKtVoMjX' },
    },
  ),
  /** An API key, a token, a password, a second factor, a passkey, an account at a provider. */
  'credential.changed': plain(
    'user',
    {
      credential_id: Type.String({ description: 'Id of the credential, or of the user whose only one it is.' }),
      change: Type.String({ description: 'The act, as in the audit log.' }),
    },
    {
      summary: 'A credential of the account was created, changed or revoked.',
      example: { credential_id: 'key_1FZ3ybQXhhsV3cDKtVoMjX', change: 'api_key.revoked' },
    },
  ),
} as const;
