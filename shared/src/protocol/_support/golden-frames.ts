import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeAgentFrame, decodeServerFrame, encodeAgentFrame, encodeServerFrame } from '../codec.js';

// proto/golden/v1/SIDE-BODY[-WHAT].json says what a frame means, the .bin next to it is the frame. Bytes are written
// "hex:0a0b"; what is not written is absent.

/** Folder of the frames of version 1. */
export const goldenFolder = fileURLToPath(new URL('../../../../../proto/golden/v1/', import.meta.url));

/** A frame that is never to change. */
export interface GoldenFrame {
  readonly name: string;
  readonly side: 'agent' | 'server';
  /** Purpose of the frame, for people. */
  readonly says: string;
  /** The frame's one member and what is in it. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** Every golden frame, by name. */
export function readGoldenFrames(): GoldenFrame[] {
  return readdirSync(goldenFolder)
    .filter((file) => /^(?:agent|server)-.*\.json$/.test(file))
    .sort()
    .map((file) => {
      const name = file.slice(0, -'.json'.length);
      const { says, values } = JSON.parse(readFileSync(join(goldenFolder, file), 'utf8')) as GoldenFrame;
      const side = name.startsWith('agent-') ? 'agent' : 'server';
      return { name, side, says, values, bytes: readFileSync(join(goldenFolder, `${name}.bin`)) };
    });
}

/** Writes the bytes of descriptions that have none yet; those that are there stay as they are. @returns their names */
export function writeMissingGoldenFrames(): string[] {
  const names = readdirSync(goldenFolder)
    .filter(
      (file) =>
        /^(?:agent|server)-.*\.json$/.test(file) && !existsSync(join(goldenFolder, file.replace(/json$/, 'bin'))),
    )
    .map((file) => file.slice(0, -'.json'.length));
  for (const name of names) {
    const { values } = JSON.parse(readFileSync(join(goldenFolder, `${name}.json`), 'utf8')) as GoldenFrame;
    writeFileSync(
      join(goldenFolder, `${name}.bin`),
      encodeValues(name.startsWith('agent-') ? 'agent' : 'server', values),
    );
  }
  return names;
}

/** The bytes that this build makes of a description. */
export function encodeValues(side: GoldenFrame['side'], values: GoldenFrame['values']): Uint8Array {
  const frame = fromPlain(values) as object;
  return side === 'agent' ? encodeAgentFrame(frame) : encodeServerFrame(frame);
}

/** Values that this build reads in a frame, in the form that descriptions use. */
export function decodeValues({ side, bytes }: Pick<GoldenFrame, 'side' | 'bytes'>): unknown {
  const { body: _, ...members } = (side === 'agent' ? decodeAgentFrame(bytes) : decodeServerFrame(bytes)) as object & {
    body: string;
  };
  return toPlain(members);
}

/** Bytes out of what a description writes for them. */
export function fromPlain(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('hex:')) return Buffer.from(value.slice(4), 'hex');
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fromPlain(member)]));
}

/** Members that say something: no zeros and empty lists, which travel as nothing. */
export function toPlain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `hex:${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (isSilent(member) ? [] : [[key, toPlain(member)]])),
  );
}

function isSilent(member: unknown): boolean {
  const isEmpty = Array.isArray(member) || member instanceof Uint8Array;
  return !member || (isEmpty && member.length === 0);
}
