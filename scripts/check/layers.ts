import type { Check, Finding } from './check.js';
import { findImports } from './imports.js';
import { importRules, junkDrawer, useRules } from './layer-rules.js';
import { lineAt, maskCode } from './masked-code.js';
import { judgeReach, reachRules } from './reach.js';
import { readSourceFiles, type SourceFile } from './source-files.js';

/**
 * Check of imports, direct and along other files, and of uses that only some files may have. Circles and default
 * exports are the linter's.
 */
export const layers: Check = {
  name: 'layers',
  title: 'who may import whom, and what may be used where',
  run: async (root) => {
    const files = readSourceFiles(root);
    return [...files.flatMap(judgeFile), ...judgeReach(files, reachRules)];
  },
};

/** Breaches of layer rules in one file. */
export function judgeFile(file: SourceFile): Finding[] {
  return [...judgeName(file), ...judgeImports(file), ...judgeUses(file)];
}

function judgeName({ path }: SourceFile): Finding[] {
  return junkDrawer.test(path)
    ? [`${path}: a function lives in the folder of its idea, not in a drawer (no-drawers)`]
    : [];
}

function judgeImports(file: SourceFile): Finding[] {
  return findImports(file).flatMap((imported) =>
    importRules
      .filter((rule) => rule.forbids(file.path, imported))
      .map((rule) => `${file.path}:${imported.line}: imports "${imported.specifier}": ${rule.says} (${rule.name})`),
  );
}

function judgeUses(file: SourceFile): Finding[] {
  const code = maskCode(file.text);
  return useRules
    .filter((rule) => !rule.isAllowed(file.path))
    .flatMap((rule) =>
      [...code.matchAll(rule.pattern)].map(
        (match) => `${file.path}:${lineAt(code, match.index)}: uses "${match[0].trim()}": ${rule.says} (${rule.name})`,
      ),
    );
}
