import { posix } from 'node:path';
import { lineAt, maskCode } from './masked-code.js';
import type { SourceFile } from './source-files.js';

/** One import (or re-export) of a file. */
export interface Import {
  /** Specifier as written: `../net/icmp.js`, `node:net`, `@vantage/shared/ids.js`. */
  readonly specifier: string;
  /** The project's file it means (`shared/src/ids.ts`); null for a package. */
  readonly target: string | null;
  /** Names it takes: `isIP`; empty for a default, namespace or bare import. */
  readonly names: readonly string[];
  /** True for an import of types only, which does not exist when the program runs. */
  readonly isType: boolean;
  readonly line: number;
}

const statement = /\b(?:import|export)\b([^;'"`()=]*?)\bfrom\s*(['"])/g;
const bareOrDynamic = /\b(?:import|require)\s*\(?\s*(['"])/g;

/** Every static, bare and dynamic import whose specifier is a string. */
export function findImports(file: SourceFile): Import[] {
  const code = maskCode(file.text);
  const statics = [...code.matchAll(statement)].map((match) => readImport(file, code, match, match[1] ?? ''));
  const others = [...code.matchAll(bareOrDynamic)].map((match) => readImport(file, code, match, ''));
  return [...statics, ...others].sort((a, b) => a.line - b.line);
}

/** Reads one import; `match` ends behind the quote that opens the specifier, blanked in `code` but not in the text. */
function readImport(file: SourceFile, code: string, match: RegExpMatchArray, clause: string): Import {
  const offset = match.index ?? 0;
  const start = offset + match[0].length;
  const specifier = file.text.slice(start, code.indexOf(code.charAt(start - 1), start));
  const items = (/\{([^}]*)\}/.exec(clause)?.[1] ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const hasOnlyTypes = /^\s*\{/.test(clause) && items.length > 0 && items.every((item) => item.startsWith('type '));
  return {
    specifier,
    target: resolveSpecifier(file.path, specifier),
    names: items.map((item) => item.replace(/^type\s+/, '').replace(/\s+as\s.*$/s, '')),
    isType: /^\s*type\b/.test(clause) || hasOnlyTypes,
    line: lineAt(file.text, offset),
  };
}

/** The repository path of what a specifier means; null for packages. */
function resolveSpecifier(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
  const own = /^@vantage\/(shared)\/(.*)\.js$/.exec(specifier);
  if (own) return `${own[1]}/src/${own[2]}.ts`;
  if (specifier.startsWith('#generated/')) return `shared/generated/${specifier.slice('#generated/'.length)}`;
  const program = /^vantage-(agent|control)(?:\/|$)/.exec(specifier);
  return program ? `${program[1] === 'agent' ? 'agent' : 'control-plane'}/${specifier}` : null;
}
