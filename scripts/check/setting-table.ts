/** Columns of a table of settings, without the types that have them. */
type Row = readonly [name: string, value: string, usual: string, meaning: string];

/** Settings of several types in Markdown: one row for each setting, with all types in which it is the same. */
export function settingTable(head: string, schemas: Readonly<Record<string, unknown>>): string {
  const rows = new Map<string, { readonly row: Row; readonly types: string[] }>();
  for (const [type, schema] of Object.entries(schemas)) {
    for (const row of rowsOf(schema)) {
      const key = JSON.stringify(row);
      const known = rows.get(key) ?? { row, types: [] };
      known.types.push(type);
      rows.set(key, known);
    }
  }
  const names = [...new Set([...rows.values()].map(({ row: [name] }) => name))];
  const sorted = [...rows.values()].toSorted((a, b) => names.indexOf(a.row[0]) - names.indexOf(b.row[0]));
  const all = Object.keys(schemas).length;
  const lines = sorted.map(({ row: [name, value, usual, meaning], types }) => [
    `\`${name}\``,
    types.length === all ? 'all' : types.map((type) => `\`${type}\``).join(', '),
    value,
    usual,
    meaning,
  ]);
  const titles = [head, 'Types', 'Value', 'Default', 'Meaning'];
  return [titles, titles.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function rowsOf(schema: unknown): Row[] {
  const { properties = {}, required = [] } = part(schema) as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { default: usual, description = '' } = part(property);
    const given =
      usual === undefined ? (required.includes(name) ? 'required' : 'none') : `\`${JSON.stringify(usual)}\``;
    return [name, valueText(property), escaped(given), escaped(String(description))];
  });
}

/** Values that a schema allows, in words: `integer 1 to 50`. */
function valueText(schema: unknown): string {
  const { type, enum: words, const: word, anyOf, items, minimum, maximum, maxLength, maxItems } = part(schema);
  if (word !== undefined) return `\`${String(word)}\``;
  if (Array.isArray(words)) return escaped(words.map((one) => `\`${String(one)}\``).join(', '));
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(valueText))].join(' or ');
  if (Array.isArray(type)) return type.join(' or ');
  if (type === 'array') {
    const most = maxItems === undefined ? '' : `at most ${Number(maxItems)} `;
    return `list of ${most}${valueText(items) || 'values'}`;
  }
  if (minimum !== undefined && maximum !== undefined) return `${String(type)} ${Number(minimum)} to ${Number(maximum)}`;
  if (minimum !== undefined) return `${String(type)}, at least ${Number(minimum)}`;
  if (maxLength !== undefined) return `${String(type)}, at most ${Number(maxLength)} characters`;
  return type === undefined ? '' : String(type);
}

function part(schema: unknown): Readonly<Record<string, unknown>> {
  return Object(schema) as Record<string, unknown>;
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}
