/** All checks, and which of them a run is about. */
import { CATEGORIES, categoryOf, type Check } from './check.js';
import { CLIENT_CHECKS } from './checks/clients.js';
import { COMPACTION_CHECKS } from './checks/compaction.js';
import { COMPARE_CHECKS } from './checks/compare.js';
import { DELETE_CHECKS } from './checks/delete.js';
import { LEASE_CHECKS } from './checks/lease.js';
import { LIMIT_CHECKS } from './checks/limits.js';
import { MAINTENANCE_CHECKS } from './checks/maintenance.js';
import { MEMBER_CHECKS } from './checks/members.js';
import { PROGRESS_CHECKS } from './checks/progress.js';
import { PROTOCOL_CHECKS } from './checks/protocol.js';
import { PUT_CHECKS } from './checks/put.js';
import { RANGE_CHECKS } from './checks/range.js';
import { TXN_CHECKS } from './checks/txn.js';
import { WATCH_CHECKS } from './checks/watch.js';

/** In the order in which they are run and printed; compaction comes last, since it is noticed by all. */
export const CATALOGUE: readonly Check[] = [
  ...PUT_CHECKS,
  ...RANGE_CHECKS,
  ...DELETE_CHECKS,
  ...TXN_CHECKS,
  ...COMPARE_CHECKS,
  ...WATCH_CHECKS,
  ...PROGRESS_CHECKS,
  ...LEASE_CHECKS,
  ...LIMIT_CHECKS,
  ...PROTOCOL_CHECKS,
  ...MAINTENANCE_CHECKS,
  ...CLIENT_CHECKS,
  ...MEMBER_CHECKS,
  ...COMPACTION_CHECKS,
];

/** Is there an area or a check of that name? */
export function isKnown(name: string): boolean {
  return (
    (CATEGORIES as readonly string[]).includes(name) ||
    CATALOGUE.some((check) => check.name === name)
  );
}

/** The checks of the areas and names listed; all when none is. */
export function selectChecks(names: readonly string[]): Check[] {
  if (names.length === 0) return [...CATALOGUE];
  return CATALOGUE.filter(
    (check) => names.includes(check.name) || names.includes(categoryOf(check)),
  );
}
