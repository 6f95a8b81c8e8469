// Bounds on the cost of a hostile recurrence rule (docs/recurrence.md#cost-of-a-hostile-rule). The
// range of years is in time.ts (`isYearInRange`).

/** Maximum length in characters of a ruleset that a client sends (docs/limits.md). */
export const requestLengthMax = 1000

/** Maximum length in characters of a ruleset between services and in the database. */
export const textLengthMax = 4000

/** Maximum of COUNT and INTERVAL in a recurrence rule. */
export const countMax = 10_000

/** Years in which an occurrence is searched; the rarest calendar rules repeat within 40 years. */
export const horizonYears = 100

/** Last calendar year in which a rule without UNTIL has occurrences. */
export const yearEnd = 9000

/** INTERVAL in years that expands one year only: the recurrence library stops at the year 9999. */
export const intervalPastTheEnd = 9999

/** Maximum number of recurrence rules in the cache of a process. */
export const rulesMax = 2000

/** Maximum number of expanded days, over all recurrence rules, in the cache of a process. */
export const daysMax = 500_000
