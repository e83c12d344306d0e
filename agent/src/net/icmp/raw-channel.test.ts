import { randomInt } from 'node:crypto';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { channelKinds } from '../../../test/_support/raw-sockets.js';
import { addressBytes } from './address.js';
import { chooseChannels } from './choose-channels.js';
import { EchoRequest } from './echo.js';
import { protocols } from './protocols.js';

for (const { family, protocol, address, replyType, typeOffset } of [
  { family: 4, protocol: protocols.icmp, address: '127.0.0.1', replyType: 0, typeOffset: 20 },
  { family: 6, protocol: protocols.icmpV6, address: '::1', replyType: 129, typeOffset: 0 },
] as const) {
  for (const kind of channelKinds)
    t.test(`${kind}: IPv${family}: the kernel passes on answers only`, { skip: missing('raw sockets') }, async (t) => {
      const types: number[] = [];
      const onFault = (error: Error) => t.fail(error.message);
      const identifier = randomInt(1, 0x10000);
      const onPacket = (bytes: Buffer) => {
        if (bytes.readUInt16BE(typeOffset + 4) === identifier) types.push(bytes.readUInt8(typeOffset));
      };
      const channel = chooseChannels(kind).open({ family, protocol, clock: systemClock, onPacket, onFault });
      t.teardown(() => channel.close());
      const request = new EchoRequest(family, identifier, 16);
      for (let count = 0; count < 3; count += 1) {
        channel.send({
          bytes: request.bytes,
          address,
          destination: addressBytes(address, family),
          hopLimit: 64,
          prepare: () => {},
          onSent: () => {},
          onError: onFault,
        });
      }
      await until('three replies', () => types.filter((type) => type === replyType).length >= 3);
      t.same([...new Set(types)], [replyType], 'the requests came over the same interface');
    });
}
