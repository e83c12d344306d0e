import type { Node } from 'oxc-parser';
import { lineAt } from '../masked-code.js';
import { calledName, descendants, nodesOf } from '../programs/syntax-tree.js';
import type { SourceFile } from '../source-files.js';

// Finds, in each top-level declaration of a file and each method of a class:
//
//   SQL in strings and templates   FROM, JOIN, UPDATE or DELETE of an owned table; a fragment `${NAME}` counts as its text
//   queryPage                      an object with `from` and `where`
//   knex                           db('table') and the whole chain of calls behind it, with what follows by the chain's name
//
// Each must have an owner's condition. Inserts need none: no row is without its owner.

/** A statement about an owned table that holds for every owner's rows. */
export interface UnownedStatement {
  readonly path: string;
  /** `listMonitors`, `Class.method`, or a constant's name. */
  readonly declaration: string;
  readonly line: number;
  readonly table: string;
}

/** A table whose name a statement does not spell out. */
const ANY_TABLE = 'a table named elsewhere';
const conditions = {
  sql: /\b(?:owner_id|account_id)\s*=\s*(?:[:?$]|ANY\s*\()/,
  column: /\b(?:owner_id|account_id)\b/,
  /** Functions that return such a condition. */
  functions: /\b(?:ownedBy|ofOwner|filterClause)\(/,
};
const knexNames = new Set(['db', 'trx', 'join', 'leftJoin', 'from', 'table']);

interface Declaration {
  readonly name: string;
  readonly node: Node;
}

/** Statements of a file about one of the tables that name no owner. */
export function findUnowned(file: SourceFile, tables: readonly string[]): UnownedStatement[] {
  return new StatementReader(file, tables).read();
}

class StatementReader {
  readonly #declarations: readonly Declaration[];
  readonly #parents = new Map<Node, Node>();
  readonly #read: RegExp;
  readonly #found = new Map<string, UnownedStatement>();

  constructor(
    private readonly file: SourceFile,
    private readonly tables: readonly string[],
  ) {
    const [program] = nodesOf(file);
    this.#declarations = program?.type === 'Program' ? program.body.flatMap((node) => declarationsIn(node)) : [];
    if (program !== undefined) this.#noteParents(program);
    const name = `(?<table>(?:${tables.join('|')})(?![\\w.]|\\s*\\()|\\$\\{\\w+\\}|\\?\\?)`;
    const clause = '(?:FROM|JOIN|UPDATE|USING)\\s+(?:ONLY\\s+)?|FROM\\s+\\w+(?:\\s+\\w+)?\\s*,\\s*';
    this.#read = new RegExp(`\\b(?:${clause})${name}`, 'g');
  }

  read(): UnownedStatement[] {
    for (const declaration of this.#declarations)
      for (const node of descendants(declaration.node)) this.#look(declaration, node);
    return [...this.#found.values()];
  }

  #look(declaration: Declaration, node: Node): void {
    if (node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')) {
      if (!this.#isFragment(node)) this.#judgeSql(declaration, node, this.#textOf(node));
    } else if (node.type === 'ObjectExpression') {
      const [from, where] = [this.#propertyOf(node, 'from'), this.#propertyOf(node, 'where')];
      if (from !== null && where !== null) this.#judgeSql(declaration, node, `FROM ${from} WHERE ${where}`);
    } else if (node.type === 'CallExpression') this.#judgeKnex(declaration, node);
  }

  /** The text of a property, as a part of a template; null: it has no such property. */
  #propertyOf({ properties }: Extract<Node, { type: 'ObjectExpression' }>, name: string): string | null {
    for (const property of properties) {
      if (property.type !== 'Property' || property.key.type !== 'Identifier' || property.key.name !== name) continue;
      const text = this.#textOf(property.value);
      return /^['"`]/.test(text) ? text.slice(1, -1) : `\${${text}}`;
    }
    return null;
  }

  #judgeSql(declaration: Declaration, node: Node, sql: string): void {
    const text = this.#expand(declaration, sql);
    if (conditions.sql.test(text) || conditions.functions.test(text)) return;
    for (const { groups } of text.matchAll(this.#read)) this.#note(declaration, node, groups?.['table'] ?? '');
  }

  #judgeKnex(declaration: Declaration, call: Extract<Node, { type: 'CallExpression' }>): void {
    const {
      callee,
      arguments: [first],
    } = call;
    const name = calledName(call) ?? methodOf(call) ?? '';
    if (!knexNames.has(name) || first === undefined) return;
    const table = this.#tableOf(first, name);
    if (table === null || this.#isLaterLink(callee)) return;
    const chain = this.#chainFrom(call);
    const chains = [chain, ...this.#chainsNamed(declaration, chain)];
    if (chains.some((one) => this.#isInsert(one) || this.#hasOwner(one))) return;
    this.#note(declaration, call, table);
  }

  #isInsert(chain: Node): boolean {
    return [...descendants(chain)].some((node) => methodOf(node) === 'insert');
  }

  #hasOwner(chain: Node): boolean {
    return [...descendants(chain)].some((node) => {
      if (node.type !== 'CallExpression' || !/^(?:and)?where/i.test(methodOf(node) ?? '')) return false;
      const text = node.arguments.map((argument) => this.#textOf(argument)).join();
      return conditions.column.test(text) || conditions.functions.test(text);
    });
  }

  /** The table that a call of knex names; null: none that is owned. */
  #tableOf(argument: Node, name: string): string | null {
    if (argument.type === 'Literal' && typeof argument.value === 'string') {
      const [table = ''] = argument.value.split(' ');
      return this.tables.includes(table) ? table : null;
    }
    return argument.type === 'Identifier' && (name === 'db' || name === 'trx') ? ANY_TABLE : null;
  }

  /** True if a call continues a named chain, which is judged where it begins. */
  #isLaterLink(callee: Node): boolean {
    return (
      callee.type === 'MemberExpression' &&
      callee.object.type === 'Identifier' &&
      callee.object.name !== 'db' &&
      callee.object.name !== 'trx'
    );
  }

  /** The whole chain of calls that begins with one. */
  #chainFrom(call: Node): Node {
    let node = call;
    for (;;) {
      const parent = this.#parents.get(node);
      const isLink =
        (parent?.type === 'MemberExpression' && parent.object === node) ||
        (parent?.type === 'CallExpression' && parent.callee === node) ||
        parent?.type === 'AwaitExpression';
      if (parent === undefined || !isLink) return node;
      node = parent;
    }
  }

  /** Further calls of a chain that has a name, `const query = db('table')`, where they are always made. */
  #chainsNamed({ node }: Declaration, chain: Node): Node[] {
    const parent = this.#parents.get(chain);
    if (parent?.type !== 'VariableDeclarator' || parent.id.type !== 'Identifier') return [];
    const { name } = parent.id;
    const uses = [...descendants(node)].filter(
      (use) => use.type === 'Identifier' && use.name === name && this.#parents.get(use)?.type === 'MemberExpression',
    );
    return uses
      .filter((use) => !this.#isConditional(use, node))
      .map((use) => this.#chainFrom(this.#parents.get(use) as Node));
  }

  #isConditional(node: Node, within: Node): boolean {
    for (let at = this.#parents.get(node); at !== undefined && at !== within; at = this.#parents.get(at))
      if (at.type === 'IfStatement' || at.type === 'ConditionalExpression') return true;
    return false;
  }

  /** True if a literal is a constant that other statements of the file include, with which it is judged. */
  #isFragment(node: Node): boolean {
    const declaration = this.#declarations.find(
      (candidate) => candidate.node.type === 'VariableDeclarator' && descendantsHas(candidate.node, node),
    );
    return declaration !== undefined && new RegExp(`\\$\\{${declaration.name}\\b`).test(this.file.text);
  }

  /** A text with the texts of the names in its `${}` behind it. */
  #expand(declaration: Declaration, text: string, depth = 0): string {
    if (depth > 4) return text;
    const names = new Set(
      [...text.matchAll(/\$\{([^}]*)/g)].flatMap(([, value = '']) => value.match(/\b[A-Za-z_]\w*/g) ?? []),
    );
    const parts = [...names].flatMap((name) => this.#meaningsOf(declaration, name));
    return [text, ...parts.map((part) => this.#expand(declaration, part, depth + 1))].join('\n');
  }

  #meaningsOf({ node }: Declaration, name: string): string[] {
    const tops = this.#declarations
      .filter((candidate) => candidate.name === name)
      .map((candidate) => this.#textOf(candidate.node));
    const locals = [...descendants(node)].flatMap((local) =>
      local.type === 'VariableDeclarator' &&
      local.init !== null &&
      new RegExp(`\\b${name}\\b`).test(this.#textOf(local.id))
        ? [this.#certainTextOf(local.init)]
        : [],
    );
    return [...tops, ...locals];
  }

  #note({ name: declaration }: Declaration, node: Node, table: string): void {
    const { path, text } = this.file;
    const named = this.tables.includes(table) ? table : ANY_TABLE;
    const key = `${declaration} ${named}`;
    if (!this.#found.has(key))
      this.#found.set(key, { path, declaration, line: lineAt(text, node.start), table: named });
  }

  #noteParents(node: Node): void {
    for (const parent of descendants(node)) for (const child of childrenOf(parent)) this.#parents.set(child, parent);
  }

  /** The text of a value without the elements of arrays that are there under a condition only. */
  #certainTextOf(value: Node): string {
    const maybe = [...descendants(value)].filter(
      (node) =>
        node.type === 'SpreadElement' && [...descendants(node)].some(({ type }) => type === 'ConditionalExpression'),
    );
    let text = this.#textOf(value);
    for (const { start, end } of maybe.sort((a, b) => b.start - a.start))
      text = text.slice(0, start - value.start) + text.slice(end - value.start);
    return text;
  }

  #textOf({ start, end }: { readonly start: number; readonly end: number }): string {
    return this.file.text.slice(start, end);
  }
}

function methodOf(node: Node): string | null {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return null;
  return node.callee.property.type === 'Identifier' ? node.callee.property.name : null;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node as unknown as Record<string, unknown>)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(
      (value): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value,
    );
}

function descendantsHas(tree: Node, node: Node): boolean {
  return tree.start <= node.start && node.end <= tree.end;
}

/** Named declarations of a statement at the top of a file; of a class its members. */
function declarationsIn(node: Node): Declaration[] {
  switch (node.type) {
    case 'ExportNamedDeclaration':
      return node.declaration === null ? [] : declarationsIn(node.declaration);
    case 'FunctionDeclaration':
      return [{ name: node.id?.name ?? '', node }];
    case 'VariableDeclaration':
      return node.declarations.map((one) => ({ name: one.id.type === 'Identifier' ? one.id.name : '', node: one }));
    case 'ClassDeclaration':
      return node.body.body.map((member) => ({ name: `${node.id?.name}.${memberName(member)}`, node: member }));
    default:
      return [];
  }
}

function memberName(member: Node): string {
  const key = 'key' in member ? (member.key as Node) : null;
  return key?.type === 'Identifier' ? key.name : key?.type === 'PrivateIdentifier' ? `#${key.name}` : '';
}
