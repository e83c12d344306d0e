import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import { pingKinds } from './heartbeat-state.js';
import { pingVias, type StoredPing } from './ping-store.js';

/** Ping of a heartbeat, as it was stored. */
export const HeartbeatPingSchema = Type.Object(
  {
    at: Type.String({ format: 'date-time' }),
    kind: Type.Enum([...pingKinds], {
      type: 'string',
      description:
        '`exit`: the job reported an exit code of 0 to 255; other codes are stored as `fail`. `log` and `unknown`, a ping whose address ends with an unknown word, do not change the state.',
    }),
    exit_code: nullable(Type.Integer({ minimum: 0, maximum: 255 }), 'Exit code; null unless `kind` is `exit`.'),
    lacks_text: Type.Boolean({ description: 'True if the body lacked the text that was required then.' }),
    duration_ms: nullable(
      Type.Integer({ minimum: 0 }),
      'Duration of the run that the ping ended, or that a client of Uptime Kuma reported, in milliseconds; null: unknown.',
    ),
    ip: Type.String({ description: 'IP address that sent the ping.' }),
    via: Type.Enum([...pingVias], {
      type: 'string',
      description: 'Method of the ping; `push`: by the address of Uptime Kuma’s clients.',
    }),
    rid: nullable(Type.String(), 'Name of the run; null: none.'),
    body_bytes: Type.Integer({ minimum: 0, description: 'Bytes of the body that are stored.' }),
    body: nullable(Type.String(), 'Beginning of the body, or the message of a push, as text; null: it was empty.'),
  },
  { additionalProperties: false, title: 'HeartbeatPing' },
);

/** Ping as the owner of its monitor sees it. */
export function pingView(ping: StoredPing): Static<typeof HeartbeatPingSchema> {
  const { at, kind, exit_code, lacks_text, duration_ms, ip, via, rid, body_bytes, body } = ping;
  const shown = { kind, exit_code, lacks_text, duration_ms, ip, via, rid, body_bytes };
  return { at: at.toISOString(), ...shown, body: body === null ? null : textOf(body) };
}

/** Beginning of a body as text. Bytes that are not UTF-8 become U+FFFD; a character that is cut off at the end is left out. */
function textOf(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}
