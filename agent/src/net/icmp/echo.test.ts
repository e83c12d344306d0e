import t from 'tap';
import { internetChecksum } from './checksum.js';
import { contradictsCookie, EchoRequest, hasCookie } from './echo.js';

const sizes = [0, 1, 2, 3, 9, 10, 16, 18, 56, 63, 64];

t.test('request carries type, identifier, sequence and as many payload bytes as asked for', async (t) => {
  for (const size of sizes) {
    const request = new EchoRequest(4, 0xabcd, size);
    request.setSequence(0x1234);
    t.equal(request.bytes.length, 8 + size);
    t.equal(request.bytes.toString('hex', 0, 2), '0800');
    t.equal(request.bytes.toString('hex', 4, 8), 'abcd1234');
  }
});

t.test('IPv4 checksum is right for every size and sequence', async (t) => {
  for (const size of sizes) {
    const request = new EchoRequest(4, 0xffff, size);
    for (const sequence of [0, 1, 0x00ff, 0x8000, 0xffff]) {
      request.setSequence(sequence);
      t.equal(internetChecksum(request.bytes), 0, `${size} bytes, sequence ${sequence}`);
    }
  }
});

t.test('IPv6 leaves the checksum to the kernel', async (t) => {
  const request = new EchoRequest(6, 1, 56);
  t.equal(request.bytes.toString('hex', 0, 4), '80000000');
});

t.test('every packet of a session has the same checksum, so that load balancers keep one path', async (t) => {
  for (const size of sizes.filter((bytes) => bytes >= 2)) {
    const request = new EchoRequest(4, 0x0102, size);
    const checksum = request.bytes.readUInt16BE(2);
    for (const sequence of [1, 2, 639, 0xffff]) {
      request.setSequence(sequence);
      t.equal(request.bytes.readUInt16BE(2), checksum);
      t.equal(internetChecksum(request.bytes), 0);
    }
  }
});

t.test('the cookie takes the room of the payload in addition to the balance, up to 16 bytes', async (t) => {
  const lengths = sizes.map((size) => new EchoRequest(4, 1, size).cookie.length);
  t.same(lengths, [0, 0, 0, 0, 6, 8, 14, 16, 16, 16, 16]);
});

t.test('two sessions have different cookies', async (t) => {
  t.notOk(new EchoRequest(4, 1, 56).cookie.equals(new EchoRequest(4, 1, 56).cookie));
});

t.test('only a payload that begins with the cookie has it', async (t) => {
  const cookie = Buffer.from('0102030405060708', 'hex');
  t.ok(hasCookie(Buffer.from('0102030405060708ff', 'hex'), cookie));
  t.notOk(hasCookie(Buffer.from('01020304050607', 'hex'), cookie), 'truncated');
  t.notOk(hasCookie(Buffer.from('0102030405060709', 'hex'), cookie), 'one bit off');
  t.ok(hasCookie(Buffer.alloc(0), Buffer.alloc(0)), 'an empty cookie is in everything');
});

t.test('a quote contradicts the cookie only where it shows other bytes', async (t) => {
  const cookie = Buffer.from('0102030405060708', 'hex');
  t.notOk(contradictsCookie(Buffer.from('0102030405060708', 'hex'), cookie));
  t.notOk(contradictsCookie(Buffer.from('010203', 'hex'), cookie), 'quoted in part');
  t.notOk(contradictsCookie(Buffer.alloc(0), cookie), 'not quoted');
  t.notOk(contradictsCookie(Buffer.alloc(120), cookie), 'filled up with zeros');
  t.ok(contradictsCookie(Buffer.from('ff02030405060708', 'hex'), cookie));
});
