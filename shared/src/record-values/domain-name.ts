import { undoEscapes } from './written-value.js';

/** Longest label and longest name on the wire, its final zero included (RFC 1035 section 2.3.4). */
const MAX_LABEL_BYTES = 63;
const MAX_NAME_BYTES = 255;

/**
 * Octets of a name in presentation format on the wire, uncompressed; the final dot may be missing. Characters beyond ASCII
 * count as their UTF-8. @throws RangeError for what is no name
 */
export function encodeName(name: string): Buffer {
  const labels = name === '.' ? [] : splitLabels(name.endsWith('.') ? name.slice(0, -1) : name);
  const parts = labels.flatMap((label) => {
    if (label.length === 0 || label.length > MAX_LABEL_BYTES) throw new RangeError('a label has 1 to 63 octets');
    return [Buffer.of(label.length), label];
  });
  const bytes = Buffer.concat([...parts, Buffer.of(0)]);
  if (bytes.length > MAX_NAME_BYTES) throw new RangeError('a name has at most 255 octets');
  return bytes;
}

/** Labels between the dots that no backslash precedes. */
function splitLabels(name: string): Buffer[] {
  const labels = [''];
  for (const [token] of name.matchAll(/\\.|\.|[^\\.]+/gs)) {
    if (token === '.') labels.push('');
    else labels[labels.length - 1] += token;
  }
  return labels.map(undoEscapes);
}
