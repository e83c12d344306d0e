/** Text inside of an element or attribute of XML; characters that XML 1.0 cannot have become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&apos;')
    .replace(/(?![\t\n\r])[\0-\x1f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd');
}
