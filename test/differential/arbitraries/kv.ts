/** Range, Put, DeleteRange and Compact. */
import * as fc from 'fast-check';
import { fields, flag, sometimes } from './fields.js';
import {
  anyKey,
  chosenLease,
  int64Edge,
  rangeEnd,
  revision,
  smallNumber,
  value,
} from './values.js';

/** Of which sort numbers that the protocol does not have may be sent. */
export interface SortNumbers {
  unknownOrder: boolean;
  unknownTarget: boolean;
}

const sortNumber = (greatest: number, unknown: boolean) =>
  fc.oneof(
    { weight: 40, arbitrary: fc.integer({ min: 0, max: greatest }) },
    { weight: unknown ? 1 : 0, arbitrary: fc.constantFrom(greatest + 1, -1, 2 ** 31 - 1) },
  );

export function rangeRequest({ unknownOrder, unknownTarget }: SortNumbers) {
  return fields({
    key: anyKey,
    range_end: sometimes(75, rangeEnd),
    limit: sometimes(30, fc.oneof({ weight: 9, arbitrary: smallNumber }, int64Edge)),
    revision: sometimes(35, revision),
    sort_order: sometimes(40, sortNumber(2, unknownOrder)),
    sort_target: sometimes(40, sortNumber(4, unknownTarget)),
    serializable: flag(20),
    keys_only: flag(15),
    count_only: flag(10),
    min_mod_revision: sometimes(8, revision),
    max_mod_revision: sometimes(8, revision),
    min_create_revision: sometimes(8, revision),
    max_create_revision: sometimes(8, revision),
  });
}

export const putRequest = fields({
  key: anyKey,
  value: sometimes(85, value),
  lease: sometimes(25, chosenLease),
  prev_kv: flag(25),
  ignore_value: flag(7),
  ignore_lease: flag(7),
});

export const deleteRangeRequest = fields({
  key: anyKey,
  range_end: sometimes(45, rangeEnd),
  prev_kv: flag(35),
});

export const compactionRequest = fields({ revision: sometimes(95, revision), physical: flag(60) });
