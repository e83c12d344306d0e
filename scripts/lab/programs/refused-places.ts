/** URLs that no probe may follow, by the kind of their form; a server of the lab refers to each. */
export const refusedPlaces = {
  'a private address': 'http://10.0.0.1/',
  'the address of metadata': 'http://169.254.169.254/latest/meta-data/',
  'a shared address': 'http://100.64.0.1/',
  loopback: 'http://127.0.0.1:8080/',
  'loopback, shortened': 'http://127.1/',
  'loopback as one number': 'http://2130706433/',
  'loopback in hexadecimal': 'http://0x7f000001/',
  'loopback in octal': 'http://0177.0.0.1/',
  'loopback of IPv6': 'http://[::1]/',
  'a mapped address': 'http://[::ffff:10.0.0.1]/',
  'a translated address': 'http://[64:ff9b::a9fe:a9fe]/',
  'a link-local address': 'http://[fe80::1]/',
  'a unique local address': 'http://[fd00:ec2::254]/',
  'the agent itself': 'http://25.80.1.1/',
  localhost: 'http://localhost/',
  'a name of metadata': 'http://metadata.google.internal/',
  'a name with a private address': 'http://private.hostile.test/',
  'a name with the address of metadata': 'http://metadata.hostile.test/',
  'a name with a mapped address': 'http://mapped.hostile.test/',
  'a name with a public and a private address': 'http://mixed.hostile.test/',
  'an alias of localhost': 'http://localhost.hostile.test/',
  'a URL without scheme': '//10.0.0.1/',
  'a user name': 'http://someone@10.0.0.1/',
  'a mail port': 'http://10.0.0.1:25/',
  'a file': 'file:///etc/passwd',
  gopher: 'gopher://10.0.0.1/',
  ftp: 'ftp://10.0.0.1/',
} as const;

/** The places in the order of their numbers in paths and names. */
export const refusedUrls: readonly string[] = Object.values(refusedPlaces);

/** Hosts of places that a WHOIS server can name, with their numbers. */
export const refusedHosts: readonly (readonly [number: number, host: string])[] = refusedUrls.flatMap((url, number) => {
  const [, host] = /^http:\/\/([a-z0-9.-]+)\/$/.exec(url) ?? [];
  return host === undefined ? [] : [[number, host] as const];
});
