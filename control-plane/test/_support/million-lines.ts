/** A million lines of a list in no order, a tenth of which are not plain IPv4 addresses. */
export function millionLines(): Buffer {
  const lines = Array.from({ length: 1_000_000 }, (_, n) => {
    const value = Math.imul(n, 2_654_435_761) >>> 4;
    if (n % 10 === 0) return `2a00:${(value & 0xffff).toString(16)}:${n.toString(16).slice(-4)}::/48 # remark`;
    return `${20 + (value >>> 23)}.${(value >>> 16) & 127}.${(value >>> 8) & 255}.${value & 255}`;
  });
  return Buffer.from(lines.join('\n'));
}
