// Packets as raw sockets on Linux 6 delivered them, on a chain of four machines (a 10.71.1.1 and fd71:1::1, two routers,
// b 10.71.3.2 and fd71:3::2): IPv4 with its header, IPv6 without. Quoted are echo requests, UDP datagrams and TCP SYNs of a.

const bytes = (hex: string) => Buffer.from(hex, 'hex');

/** b answers an echo request with identifier 0x67ce, sequence 2 and 16 bytes of payload. */
export const echoReplyV4 = bytes(
  '4500002c5cea00003e0107570a4703020a47010100003bd267ce0002ee5cab5c2f0be64b1e9e995ff550fffd',
);
/** The first router: time exceeded, quoting an echo request with identifier 0x67ce, sequence 0. */
export const echoExpiredV4 = bytes(
  '45c000483ce40000400126810a4701020a4701010b00f4ff000000004500002c73b340000101ed8d0a4701010a470302080033d267ce0000ee5cab5c2f0be64b1e9e995ff550ffff',
);
/** The second router: time exceeded, quoting UDP from port 47247 to 33434 with checksum 0xe049. */
export const udpExpiredV4 = bytes(
  '45c00048ec2600003f01773e0a4702020a4701010b000dba000000004500002c0593400001115b9e0a4701010a470302b88f829a0018e0490000000000000000000000000000cbb9',
);
/** b: port unreachable, quoting UDP from port 47247 to 33434 with checksum 0xe04a. */
export const udpRefusedV4 = bytes(
  '45c000485d3e00003e0106270a4703020a470101030315b7000000004500002c0594400001115b9d0a4701010a470302b88f829a0018e04a0000000000000000000000000000cbb8',
);
/** The first router: time exceeded, quoting a SYN from port 63468 to 80 with sequence number 0x5b575ce3. */
export const synExpiredV4 = bytes(
  '45c000483dc30000400125a20a4701020a4701010b000daf000000004500002c896640000106d7d50a4701010a470302f7ec00505b575ce3000000006002faf0d42d0000020405b4',
);
/** The first router: network unreachable, quoting an echo request to 10.71.200.1 with identifier 0x7f93, sequence 0. */
export const noRouteV4 = bytes(
  '45c000703dc80000400125750a4701020a4701010300fcff000000004500005415064000400148130a4701010a47c801080069707f93000050737e554dc34c13e4649b8c7752f54b202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445ffff',
);
/** b's RST+ACK from port 80 to 63468, acknowledging 0x5b575ce6; a whole IPv4 packet from a raw TCP socket. */
export const resetV4 = bytes('45000028000040003e0624400a4703020a4701010050f7ec000000005b575ce650140000e6c50000');

/** b answers an echo request with identifier 0xdec4, sequence 2 and 16 bytes of payload. */
export const echoReplyV6 = bytes('810009e9dec4000263d9bc9f0aa66addf44df90d17bcfffd');
/** The second router: time exceeded, quoting an echo request with identifier 0xdec4, sequence 1. */
export const echoExpiredV6 = bytes(
  '030043a000000000600e241e00183a01fd710001000000000000000000000001fd71000300000000000000000000000280000ae9dec4000163d9bc9f0aa66addf44df90d17bcfffe',
);
/** b: port unreachable, quoting UDP from port 41698 to 33434 with checksum 0x74e0. */
export const udpRefusedV6 = bytes(
  '01048c1a00000000600b067900181101fd710001000000000000000000000001fd710003000000000000000000000002a2e2829a001874e000000000000000000000000000006a76',
);
/** The first router: time exceeded, quoting a SYN from port 61541 to 80 with sequence number 0xe316a443. */
export const synExpiredV6 = bytes(
  '0300295200000000600e723900180601fd710001000000000000000000000001fd710003000000000000000000000002f0650050e316a443000000006002faf02a4f0000020405a0',
);
/** The first router: no route, quoting an echo request to fd71:200::1. */
export const noRouteV6 = bytes(
  '0100dbb80000000060018dac00403a40fd710001000000000000000000000001fd7102000000000000000000000000018000466504ed00001aede1de9a50348e4039607b8bd5854a202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445ffff',
);
/** A neighbour solicitation: ICMPv6, but no answer to anything of ours. */
export const neighbourSolicitation = bytes('88002c7ae0000000fd7100010000000000000000000000020201f61b1950615f');
