/** The `q` parameter of an entry of an Accept-* header (RFC 9110 section 12.4.2), 0..1; 1 when absent, 0 when malformed. */
export function qualityOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() !== 'q') continue;
    return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value.trim()) ? Number(value) : 0;
  }
  return 1;
}
