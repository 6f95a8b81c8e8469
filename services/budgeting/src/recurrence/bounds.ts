// Bounds on the cost of a rule (docs/recurrence.md#cost-of-a-hostile-rule). Those of its text are
// in kit's ruleset.ts, because the gateway checks it too.

/** Years of every search; the rarest calendar rules repeat within 40 years. */
export const horizonYears = 100

/** The last year of a rule without UNTIL. */
export const yearEnd = 9000

/** The library searches until the year 9999; an interval this long ends it after one year. */
export const intervalPastTheEnd = 9999

/** Rules that a process keeps. */
export const rulesMax = 2000

/** Days of all rules that a process keeps. */
export const daysMax = 500_000
