// Bounds on the cost of a hostile recurrence rule (docs/recurrence.md#cost-of-a-hostile-rule),
// beside those on its text in kit's ruleset.ts and the range of years in time.ts.

/** Years before or after an instant that are searched; the rarest rules recur within 40 years. */
export const horizonYears = 100

/** Last calendar year in which a rule without UNTIL has occurrences. */
export const yearEnd = 9000

/**
 * INTERVAL in years with which the recurrence library expands only the first year of a yearly rule,
 * because the library stops at the year 9999.
 */
export const intervalPastTheEnd = 9999

/** Maximum number of recurrence rules in the cache of a process. */
export const rulesMax = 2000

/** Maximum number of expanded days, over all recurrence rules, in the cache of a process. */
export const daysMax = 500_000
