// Bounds on the cost of a hostile ruleset (docs/recurrence.md#cost-of-a-hostile-rule). Years are
// bounded like those of all times: `isYearInRange` in time.ts.

/** Maximum length of a ruleset in a request of a client (docs/limits.md), in characters. */
export const requestLengthMax = 1000

/** Maximum length of a ruleset in a call between services or in a row, in characters. */
export const textLengthMax = 4000

/** Maximum of COUNT and of INTERVAL. */
export const countMax = 10_000

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
