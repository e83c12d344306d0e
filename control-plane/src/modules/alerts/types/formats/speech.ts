/** Text inside of an element of XML. Characters that XML cannot have are expected to be gone. */
export function escapeXml(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&apos;')
    .replace(/[\ufffe\uffff]/g, '\ufffd');
}
