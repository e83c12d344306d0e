/** IP protocol numbers (IANA). */
export const protocols = { icmp: 1, tcp: 6, udp: 17, icmpV6: 58 } as const;

/** One of the four. */
export type ProtocolNumber = (typeof protocols)[keyof typeof protocols];
