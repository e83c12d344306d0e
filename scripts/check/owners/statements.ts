import { type Node, parseSync, visitorKeys } from 'oxc-parser';
import { lineAt } from '../masked-code.js';
import type { SourceFile } from '../source-files.js';

// Finds, in each top-level declaration of a file:
//
//   SQL in strings and templates   FROM, JOIN, UPDATE or DELETE of an owned table; a name in `${}` counts as its text
//   queryPage                      an object with `from` and `where`
//   knex                           db('table') and the chain of calls behind it, with what follows by the chain's name
//
// Each must have an owner's condition. Inserts need none: no row is without its owner.

/** A statement about an owned table that holds for every owner's rows. */
export interface UnownedStatement {
  readonly path: string;
  /** `listMonitors`, or the name of a constant or class. */
  readonly declaration: string;
  readonly line: number;
  readonly table: string;
}

interface Declaration {
  readonly name: string;
  readonly node: Node;
}

/** A table whose name a statement does not spell out. */
const ANY_TABLE = 'a table named elsewhere';
/** A condition in SQL, or a function that returns one. */
const sqlCondition = /\b(?:owner_id|account_id)\s*=\s*(?:[:?$]|ANY\s*\()|\b(?:ownedBy|ofOwner|filterClause)\(/;
/** A condition of knex, in the arguments of `where`, `andWhere`, `whereRaw`. */
const knexCondition = /\.(?:and)?where\w*\((?:[^()]|\([^()]*\))*?\b(?:owner_id|account_id|ownedBy|ofOwner)\b/i;

/** Statements of a file about one of the tables that name no owner. @throws Error for a file that does not parse */
export function findUnowned(file: SourceFile, tables: readonly string[]): UnownedStatement[] {
  return new StatementReader(file, tables).read();
}

class StatementReader {
  readonly #declarations: readonly Declaration[];
  readonly #sqlTable: RegExp;
  readonly #found = new Map<string, UnownedStatement>();

  constructor(
    private readonly file: SourceFile,
    private readonly tables: readonly string[],
  ) {
    const { program, errors } = parseSync(file.path, file.text);
    if (errors.length > 0) throw new Error(`${file.path}: ${errors[0]?.message}`);
    this.#declarations = program.body.flatMap((node) => declarationsIn(node));
    const table = `((?:${tables.join('|')})(?![\\w.]|\\s*\\()|\\$\\{\\w+\\}|\\?\\?)`;
    const clause = '(?:FROM|JOIN|UPDATE|USING)\\s+(?:ONLY\\s+)?|FROM\\s+\\w+(?:\\s+\\w+)?\\s*,\\s*';
    this.#sqlTable = new RegExp(`\\b(?:${clause})${table}`, 'g');
  }

  read(): UnownedStatement[] {
    for (const declaration of this.#declarations) {
      for (const node of descendants(declaration.node)) this.#judgeNode(declaration, node);
      this.#judgeKnex(declaration);
    }
    return [...this.#found.values()];
  }

  #judgeNode(declaration: Declaration, node: Node): void {
    if (node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')) {
      if (!this.#isFragment(node)) this.#judgeSql(declaration, node, this.#textOf(node));
    } else if (node.type === 'ObjectExpression') {
      const [from, where] = [this.#partOf(node, 'from'), this.#partOf(node, 'where')];
      if (from !== null && where !== null) this.#judgeSql(declaration, node, `FROM ${from} WHERE ${where}`);
    }
  }

  #judgeSql(declaration: Declaration, node: Node, sql: string): void {
    const text = this.#expand(declaration, sql);
    if (sqlCondition.test(text)) return;
    for (const [, table = ''] of text.matchAll(this.#sqlTable)) this.#note(declaration, node.start, table);
  }

  /** Chains of calls from `db(…)` or `trx(…)` to the next one, or to the end of their statement. */
  #judgeKnex(declaration: Declaration): void {
    const text = this.#textOf(declaration.node);
    for (const { index, 0: chain } of text.matchAll(/\b(?:db|trx)(?:<[^()]*>)?\((?:(?!\b(?:db|trx)\b)[^;])*/g)) {
      const table = this.#knexTable(chain);
      const whole = chain + this.#laterCalls(text, index);
      if (table !== null && !/\.insert\(/.test(whole) && !knexCondition.test(whole))
        this.#note(declaration, declaration.node.start + index, table);
    }
  }

  /** Owned table that a chain begins with or joins, or null. */
  #knexTable(chain: string): string | null {
    if (/^\w+(?:<[^()]*>)?\(\w+\)/.test(chain)) return ANY_TABLE;
    const named = [...chain.matchAll(/\b(?:db|trx|join|leftJoin|from|table)(?:<[^()]*>)?\('(\w+)/g)];
    return named.find(([, table = '']) => this.tables.includes(table))?.[1] ?? null;
  }

  /** Calls by the name of a chain, `const query = db('table')`, on lines of their own: those under an `if` are not always made. */
  #laterCalls(text: string, index: number): string {
    const [, indent, name] = /(?:^|\n)( *)const (\w+)(?:: [^=]+)? = (?:await )?$/.exec(text.slice(0, index)) ?? [];
    if (name === undefined) return '';
    return [...text.matchAll(new RegExp(`^${indent}(?:void |await |return )?${name}\\b[^;]*;`, 'gm'))].join('\n');
  }

  /** Value of a property, as a part of a template; null if the object has no such property. */
  #partOf({ properties }: Extract<Node, { type: 'ObjectExpression' }>, name: string): string | null {
    for (const property of properties) {
      if (property.type !== 'Property' || property.key.type !== 'Identifier' || property.key.name !== name) continue;
      const text = this.#textOf(property.value);
      return /^['"`]/.test(text) ? text.slice(1, -1) : `\${${text}}`;
    }
    return null;
  }

  /** True if a literal is a constant that other statements of the file include, with which it is judged. */
  #isFragment(node: Node): boolean {
    const constant = this.#declarations.find(
      ({ node: tree }) => tree.type === 'VariableDeclarator' && tree.start <= node.start && node.end <= tree.end,
    );
    return constant !== undefined && new RegExp(`\\$\\{${constant.name}\\b`).test(this.file.text);
  }

  /** A text with the texts of the names in its `${}` behind it. */
  #expand(declaration: Declaration, text: string, depth = 0): string {
    if (depth > 4) return text;
    const values = [...text.matchAll(/\$\{([^}]*)/g)].flatMap(([, value = '']) => value.match(/\b[A-Za-z_]\w*/g) ?? []);
    const parts = [...new Set(values)].flatMap((name) => this.#meaningsOf(declaration, name));
    return [text, ...parts.map((part) => this.#expand(declaration, part, depth + 1))].join('\n');
  }

  /** Texts of what a name may mean: a declaration of the file, or a constant inside of the current one. */
  #meaningsOf({ node }: Declaration, name: string): string[] {
    const tops = this.#declarations.filter((one) => one.name === name).map((one) => this.#textOf(one.node));
    const isNamed = new RegExp(`\\b${name}\\b`);
    const locals = [...descendants(node)].flatMap((local) =>
      local.type === 'VariableDeclarator' && local.init !== null && isNamed.test(this.#textOf(local.id))
        ? [withoutOptionalParts(this.#textOf(local.init))]
        : [],
    );
    return [...tops, ...locals];
  }

  #note({ name: declaration }: Declaration, offset: number, table: string): void {
    const { path, text } = this.file;
    const named = this.tables.includes(table) ? table : ANY_TABLE;
    const key = `${declaration} ${named}`;
    if (!this.#found.has(key)) this.#found.set(key, { path, declaration, line: lineAt(text, offset), table: named });
  }

  #textOf({ start, end }: { readonly start: number; readonly end: number }): string {
    return this.file.text.slice(start, end);
  }
}

/** A text without the elements of lists that are there under a condition only: `...(isOwn ? [ownedBy(owner)] : [])`. */
function withoutOptionalParts(text: string): string {
  return text.replace(/\.\.\.\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g, (spread) =>
    spread.includes('?') ? '' : spread,
  );
}

/** Every node below one, itself first. */
function* descendants(node: Node): Generator<Node> {
  yield node;
  for (const key of visitorKeys[node.type] ?? []) {
    const value = (node as unknown as Readonly<Record<string, unknown>>)[key];
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child === 'object' && child !== null && 'type' in child) yield* descendants(child as Node);
  }
}

/** Named declarations of a statement at the top of a file. */
function declarationsIn(node: Node): Declaration[] {
  switch (node.type) {
    case 'ExportNamedDeclaration':
      return node.declaration === null ? [] : declarationsIn(node.declaration);
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return [{ name: node.id?.name ?? '', node }];
    case 'VariableDeclaration':
      return node.declarations.map((one) => ({ name: one.id.type === 'Identifier' ? one.id.name : '', node: one }));
    default:
      return [];
  }
}
