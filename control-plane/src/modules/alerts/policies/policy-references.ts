import type { PolicyReferences } from '../../monitors/index.js';
import { readDependencies } from './applying-store.js';
import { findCycle } from './dependency-cycle.js';
import { isNameable } from './policy-store.js';

/** Policies as monitors refer to them. */
export const policyReferences: PolicyReferences = {
  isNameable,
  async findCycle(trx, ownerId) {
    return findCycle(await readDependencies(trx, ownerId));
  },
};
