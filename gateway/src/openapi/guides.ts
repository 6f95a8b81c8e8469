/** A group in the table of contents of the reference: pages in `docs/`, or sections of them. */
interface Group {
  title: string
  entries: string[]
}

/** The table of contents of the reference. */
export const contents: readonly Group[] = [
  { title: 'Start here', entries: ['api/first-ten-minutes.md', 'api/clients.md'] },
  {
    title: 'How the API works',
    entries: [
      'api.md',
      'api.md#money',
      'api.md#time',
      'api.md#idempotency-key',
      'api.md#bulk-requests',
      'api.md#sockets',
      'api/errors.md',
      'api/refusals.md',
      'api/refusals-by-subject.md',
      'api/codes-of-texts.md',
      'api/overview.md',
      'api/conditional-requests.md',
      'api/lists.md',
      'api/lists.md#paging',
      'api/changes.md',
      'api/compression.md',
      'api/constraints.md',
      'api/reference-page.md',
      'limits.md',
    ],
  },
  {
    title: 'Accounts and money',
    entries: [
      'links.md',
      'transactions.md',
      'money.md',
      'money/refunds.md',
      'money/bulk.md',
      'rules/tags.md',
      'rules/rules.md',
      'rules/runs.md',
      'rules/suggestions.md',
      'money/grace.md',
      'similar-transactions.md',
    ],
  },
  {
    title: 'Banks',
    entries: ['syncs.md', 'banks/feed.md', 'banks/plaid.md', 'banks/webhooks.md'],
  },
  {
    title: 'Files',
    entries: [
      'files.md',
      'files/joining.md',
      'files/fit.md',
      'files/from-a-bank.md',
      'file-formats.md',
    ],
  },
  {
    title: 'Plans',
    entries: ['plans.md', 'plans/bills.md', 'funding-schedules.md', 'recurrence.md', 'forecast.md'],
  },
  { title: 'Changes', entries: ['changes/own-webhooks.md'] },
  {
    title: 'People and rights',
    entries: [
      'sign-in.md',
      'api/pages.md',
      'security.md',
      'billing.md',
      'account-data.md',
      'glossary.md',
    ],
  },
]

/** Paths of the guides within `docs/`, by the last segment of their URL. */
export const guides: ReadonlyMap<string, string> = new Map(
  contents
    .flatMap(({ entries }) => entries.filter((entry) => !entry.includes('#')))
    .map((path) => [slugOf(path), path]),
)

/**
 * Returns the last segment of the URL of a page in `docs/`: `errors` for `api/errors.md`. For
 * `api.md` it is `conventions`.
 */
export function slugOf(path: string): string {
  if (path === 'api.md') return 'conventions'
  return path.replace(/^.*\//, '').replace(/\.md$/, '')
}
