// Bounds on the cost of a rule (docs/recurrence.md#cost-of-a-hostile-rule). The bounds of its text
// are in kit's ruleset.ts, because the gateway validates the text too.

/** Number of years that a search covers; the rarest calendar rules repeat within 40 years. */
export const horizonYears = 100

/** The last year of a rule without UNTIL. */
export const yearEnd = 9000

/** INTERVAL in years that ends the library's search (to the year 9999) after its first year. */
export const intervalPastTheEnd = 9999

/** Maximum number of rules in the cache of a process. */
export const rulesMax = 2000

/** Maximum number of days, over all rules, in the cache of a process. */
export const daysMax = 500_000
