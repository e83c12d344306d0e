/** Browsers in the order in which their words must be looked for: each also has those of later ones. */
const browsers = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /Chrome\/(\d+)|\bCriOS\/(\d+)/],
  ['Safari', /\bVersion\/(\d+).*\bSafari\//],
] as const;

const systems = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** A program for people by the User-Agent that it sent (RFC 9110 section 10.1.5): `Firefox 140, Linux`; what is no known browser as it is. */
export function programName(userAgent: string): string {
  for (const [name, form] of browsers) {
    const match = form.exec(userAgent);
    if (match === null) continue;
    const system = systems.find(([, word]) => word.test(userAgent));
    return [`${name} ${match[1] ?? match[2]}`, ...(system === undefined ? [] : [system[0]])].join(', ');
  }
  return userAgent.slice(0, 80);
}
