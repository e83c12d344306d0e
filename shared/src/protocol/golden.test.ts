import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import t from 'tap';
import { decodeValues, encodeValues, goldenFolder, readGoldenFrames } from './_support/golden-frames.js';
import { CloseReasonCode, LaneCode } from './codec.js';

const frames = readGoldenFrames();
const hint = 'see "Adding a field" in docs/protocol.md';

t.test('every golden frame of version 1 is read as it was recorded, and written with the same bytes', async (t) => {
  t.ok(frames.length >= 20);
  for (const { name, side, values, bytes } of frames) {
    t.strictSame(decodeValues({ side, bytes }), values, `${name} is read`);
    t.equal(Buffer.from(encodeValues(side, values)).toString('hex'), bytes.toString('hex'), `${name} is written`);
  }
});

t.test('values of enumerations keep their numbers', async (t) => {
  const recorded = JSON.parse(readFileSync(join(goldenFolder, 'enums.json'), 'utf8'));
  for (const [name, code] of Object.entries(recorded.Lane)) t.equal(LaneCode[name as 'LANE_TASK'], code, name);
  for (const [name, code] of Object.entries(recorded.CloseReason))
    t.equal(CloseReasonCode[name as 'CLOSE_BANNED'], code, name);
});

t.test('every field of the protocol stands in a golden frame', async (t) => {
  const proto = fileURLToPath(new URL('../../../../proto/link.proto', import.meta.url));
  const { root } = protobuf.parse(readFileSync(proto, 'utf8'));
  for (const side of ['agent', 'server'] as const) {
    const type = root.lookupType(side === 'agent' ? 'AgentFrame' : 'ServerFrame');
    const seen = new Set<string>();
    for (const { values } of frames.filter((frame) => frame.side === side)) collect(type, values, seen);
    // a heartbeat of the control plane says nothing of itself, whatever the message has room for
    const all = [...fieldsOf(type)].filter((field) => side === 'agent' || !/^(?:Heartbeat|SelfTest)/.test(field));
    t.strictSame(
      all.filter((field) => !seen.has(field)),
      [],
      `${side}: ${hint}`,
    );
  }
});

/** `Message.field` of everything a message can hold. */
function fieldsOf(type: protobuf.Type, found = new Set<string>()): Set<string> {
  for (const field of type.fieldsArray) {
    if (found.has(`${type.name}.${field.name}`)) continue;
    found.add(`${type.name}.${field.name}`);
    const inner = field.resolve().resolvedType;
    if (inner instanceof protobuf.Type) fieldsOf(inner, found);
  }
  return found;
}

function collect(type: protobuf.Type, values: unknown, seen: Set<string>): void {
  for (const [name, value] of Object.entries(values as object)) {
    const field = type.fields[name];
    if (field === undefined) throw new Error(`"${type.name}" has no field "${name}"`);
    seen.add(`${type.name}.${name}`);
    const inner = field.resolve().resolvedType;
    if (!(inner instanceof protobuf.Type)) continue;
    for (const item of Array.isArray(value) ? value : [value]) collect(inner, item, seen);
  }
}
