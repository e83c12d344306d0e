import { addressOctets, type Field } from './fields.js';

/** `!1:192.0.2.0/24`: family, address and length of a prefix, and its negation (RFC 3123). */
export const addressPrefix: Field = {
  read: (value) => {
    const [, negation, family, address = '', bits = ''] = /^(!?)([12]):([^/]+)\/(\d{1,3})$/.exec(value.word()) ?? [];
    const octets = addressOctets(address, family === '1' ? 4 : 6);
    const used = octets.subarray(0, octets.findLastIndex((octet) => octet !== 0) + 1);
    const head = Buffer.of(0, Number(family), Number(bits), used.length | (negation === '!' ? 0x80 : 0));
    return Buffer.concat([head, used]);
  },
  fold: (data) => {
    const head = data.take(4);
    return Buffer.concat([head, data.take((head[3] ?? 0) & 0x7f)]);
  },
};
