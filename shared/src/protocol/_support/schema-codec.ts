import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import type { AgentFrame, DecodedAgentFrame, DecodedServerFrame, ServerFrame } from '../codec.js';
import { goldenFolder } from './golden-frames.js';

/** Codec of a test's peer. */
export interface FrameCodec {
  encodeAgentFrame(frame: AgentFrame): Uint8Array;
  decodeAgentFrame(bytes: Uint8Array): DecodedAgentFrame;
  encodeServerFrame(frame: ServerFrame): Uint8Array;
  decodeServerFrame(bytes: Uint8Array): DecodedServerFrame;
}

/** A number that no version gives to a frame or a field. */
const NEWER_NUMBER = 1000;

/** A peer that knows version 1 as it was first frozen, and nothing that came after: what it does not know it neither reads nor writes. */
export function oldestCodec(): FrameCodec {
  return codecOf(protobuf.parse(readFileSync(join(goldenFolder, 'first.proto'), 'utf8')).root, (_, value) => value);
}

/** A peer of a future build: every message it sends, at every depth, has an additional field. */
export function newerCodec(): FrameCodec {
  const proto = fileURLToPath(new URL('../../../../../proto/link.proto', import.meta.url));
  const { root } = protobuf.parse(readFileSync(proto, 'utf8'));
  const types = root.lookup('vantage.link.v1');
  if (!(types instanceof protobuf.Namespace)) throw new Error('no package in the schema');
  for (const type of types.nestedArray)
    if (type instanceof protobuf.Type) type.add(new protobuf.Field('newer', NEWER_NUMBER, 'string'));
  return codecOf(root, withNewerField);
}

/** A frame of a future build, whose body is still unknown. */
export function newerFrame(): Uint8Array {
  return protobuf.Writer.create()
    .uint32((NEWER_NUMBER << 3) | 2)
    .string('news')
    .finish();
}

function withNewerField(type: protobuf.Type, value: object): object {
  const entries = Object.entries(value).map(([name, member]) => {
    const inner = type.fields[name]?.resolve().resolvedType;
    if (!(inner instanceof protobuf.Type) || member === null || member === undefined) return [name, member];
    const grow = (item: object) => withNewerField(inner, item);
    return [name, Array.isArray(member) ? member.map(grow) : grow(member)];
  });
  return { ...Object.fromEntries(entries), newer: 'what is that?' };
}

function codecOf(root: protobuf.Root, grow: (type: protobuf.Type, value: object) => object): FrameCodec {
  const agent = root.lookupType('AgentFrame');
  const server = root.lookupType('ServerFrame');
  const encode = (type: protobuf.Type) => (frame: object) => type.encode(grow(type, frame)).finish();
  return {
    encodeAgentFrame: encode(agent),
    decodeAgentFrame: (bytes) => decode(agent, bytes) as DecodedAgentFrame,
    encodeServerFrame: encode(server),
    decodeServerFrame: (bytes) => decode(server, bytes) as DecodedServerFrame,
  };
}

/** Decodes like the codec of the programs: zeros and empty lists for absent fields, null for absent messages. */
function decode(type: protobuf.Type, bytes: Uint8Array): unknown {
  const members = type.toObject(type.decode(bytes), { defaults: true, longs: Number, oneofs: true });
  const absent = Object.fromEntries(type.fieldsArray.map(({ name }) => [name, null]));
  return { ...absent, ...members };
}
