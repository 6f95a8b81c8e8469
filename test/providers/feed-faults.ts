import { anyFaults, changed, type Fault } from './faults.ts'

/** Faults that feed providers were seen to have, and hostile ones. */
export const faults = {
  ...anyFaults,
  /** 401 or 403. */
  refusedKey: (status = 401): Fault => ({
    kind: 'status',
    status,
    body: '{"error":"Unauthorized","message":"Invalid API key"}',
  }),
  /** 429 with `Retry-After`: seconds, or a date of HTTP. */
  rateLimited: (retryAfter: string): Fault => ({
    kind: 'status',
    status: 429,
    body: '{"error":"Too Many Requests","message":"Rate limit exceeded"}',
    headers: { 'retry-after': retryAfter },
  }),
  /** IDs, amounts and days are lists. */
  wrongTypes: changed((body) =>
    body.replaceAll(/"(id|amount|date)":("[^"]*"|[^",}]+)/g, '"$1":[1]'),
  ),
  wrongCurrency: (currency = 'XTS') =>
    changed((body) => body.replaceAll(/"currency":"[^"]*"/g, `"currency":"${currency}"`)),
  /** Amounts with three more places. */
  tooManyPlaces: changed((body) =>
    body.replaceAll(/"amount":(-?\d+)(\.\d+)?/g, (_, whole, places = '.00') => {
      return `"amount":${whole}${places}987`
    }),
  ),
  dateOutOfRange: (date = '9999-12-32') =>
    changed((body) => body.replaceAll(/"date":"[^"]*"/g, `"date":"${date}"`)),
  /** The first half of the rows, with the total of all. */
  halfOfRows: changed((body) =>
    body.replace(/\[.*\]/s, (list) => {
      const rows = list.slice(1, -1).split(/(?<=\}),(?=\{)/)
      return `[${rows.slice(0, Math.ceil(rows.length / 2)).join()}]`
    }),
  ),
  /** A total that is not the number of rows. */
  wrongTotal: changed((body) => body.replace(/"total":\d+/, '"total":1000000')),
}
