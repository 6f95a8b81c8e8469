import { sql } from 'slonik'

/** Selects transactions that no user has kept without an envelope (`isUsers` in field-marks.ts). */
export const isUndecided = sql.fragment`
  coalesce(field_marks -> 'spendingId' <> '{"ruleId": null, "value": null}', true)`
