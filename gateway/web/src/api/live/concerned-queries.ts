/**
 * A change of an object, from the change feed. A newer server may send types that are unknown here.
 */
export interface Change {
  type: string
  objectId: string
  bankAccountId: string | null
}

/** Prefix of query keys. */
export type KeyPrefix = readonly string[]

type Prefixes = (bank: string, id: string) => KeyPrefix[]

/** Keys of the queries whose answers depend on an object, by the kind of the object. */
const byKind: Record<string, Prefixes> = {
  account: () => [['me']],
  api_key: () => [['api-keys']],
  bank_account: (bank) => [['bank-accounts'], ...sums(bank), ['explanation', bank]],
  funding_schedule: (bank) => [
    ...plans(bank),
    ['overview'],
    ['schedules', bank],
    ['explanation', bank],
  ],
  import: (bank, id) => [
    ['import', bank, id],
    ['imports', bank],
  ],
  link: (_, id) => [['overview'], ['bank-accounts'], ['candidates'], ['link-health', id]],
  mapping: () => [['mapping']],
  rule: () => [['rules'], ['rule-preview'], ['rule-suggestions'], ['rule-suggestion']],
  rule_run: () => [['rule-runs']],
  spending: (bank, id) => [...plans(bank), ...sums(bank), ['explanation', bank, id]],
  transaction: (bank, id) => [
    ...lists(bank),
    ['transaction', bank, id],
    ['similar', bank],
    ['rule-suggestions'],
    ['rule-suggestion', bank],
  ],
  upload: (bank) => [['uploads', bank], ...lists(bank)],
  upload_group: () => [['upload-groups']],
  user: () => [['me'], ['sessions']],
  webhook: () => [['webhooks']],
}

const sums = (bank: string) => [['overview'], ['forecast', bank], ['history', bank]]
const plans = (bank: string) => [
  ['spending', bank],
  ['forecast', bank],
  ['estimate', bank],
]
const lists = (bank: string) => [
  ['overview'],
  ['transactions', bank],
  ['transactions', 'palette'],
  ['history', bank],
  ['paid', bank],
  ['start-groups', bank],
  ['rule-preview'],
  ['tags'],
]

/**
 * Returns the distinct key prefixes of all queries that changes concern. For a type unknown to this
 * version of the app it returns the empty prefix, which matches every query.
 */
export function concernedQueries(changes: Change[]): KeyPrefix[] {
  const prefixes = new Map<string, KeyPrefix>()
  for (const change of changes) {
    for (const prefix of prefixesOf(change)) prefixes.set(prefix.join(' '), prefix)
  }
  return [...prefixes.values()]
}

function prefixesOf({ type, objectId, bankAccountId }: Change): KeyPrefix[] {
  const [kind = '', happened] = type.split('.')
  const isOwn = kind === 'bank_account'
  const bank = bankAccountId ?? objectId
  // The feed has no changes of the objects in a deleted bank account: every query is concerned. It
  // has none of transactions that lose a deleted envelope: all lists are concerned.
  if (isOwn && happened === 'deleted') return [[]]
  const inside = kind === 'spending' && happened === 'deleted' ? lists(bank) : []
  return [...(byKind[kind]?.(bank, objectId) ?? [[]]), ...inside]
}
