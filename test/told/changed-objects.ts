import { eventually } from '@coffer/host/testing/boot'
import type { Ada } from '../examples/sign-in.ts'
import { call, type Json } from '../harness/person.ts'

const beginning = Buffer.from('["0"]').toString('base64url')

type Headers = Record<string, string>

/** Reads the feed with the objects. Returns the last change of each object, by kind and ID. */
export async function changedObjects(
  baseUrl: string,
  headers: Headers,
): Promise<Map<string, Json>> {
  const changes = new Map<string, Json>()
  for (let after = beginning; ; ) {
    const path = `/changes?include=object&limit=100&after=${after}`
    const { body } = await call(baseUrl, 'GET', path, { headers })
    for (const change of body.changes) changes.set(`${kindOf(change)} ${change.objectId}`, change)
    if (!body.hasMore) return changes
    after = body.nextCursor
  }
}

const kindOf = ({ type }: Json): string => type.split('.')[0]

/** The request that shows an object of each kind, and the place of the object in its answer. */
const shown: Record<string, (id: string, bank: string) => [string, ((body: Json) => Json)?]> = {
  account: () => ['/users/me', (body) => body.user.account],
  api_key: (id) => ['/keys', (body) => body.find((one: Json) => one.apiKeyId === id)],
  bank_account: (id) => [`/bank_accounts/${id}`],
  funding_schedule: (id, bank) => [`${bank}/funding_schedules/${id}`],
  import: (id, bank) => [`${bank}/transactions/import/${id}`],
  link: (id) => [`/links/${id}`],
  mapping: (id) => [
    '/mappings',
    (body) => body.find((one: Json) => one.transactionImportMappingId === id),
  ],
  rule: (id) => ['/rules', (body) => body.rules.find((one: Json) => one.ruleId === id)],
  rule_run: (id) => [`/rules/runs/${id}`],
  spending: (id, bank) => [`${bank}/spending/${id}`],
  transaction: (id, bank) => [`${bank}/transactions/${id}`],
  upload: (id, bank) => [`${bank}/transactions/upload/${id}`],
  upload_group: (id) => [`/uploads/${id}`],
  user: (id) => [`/users/${id}`],
  webhook: (id) => [`/webhooks/${id}`],
}

/**
 * Compares the objects of the feed with the answers of their own requests, until they are equal
 * and an object of each kind is there.
 * Returns the kinds that an API key gets no object of, and those with an object that is there and
 * with one that is gone.
 */
export async function compareObjects(baseUrl: string, { headers, sessionHeaders }: Ada) {
  const get = async ({ objectId, bankAccountId, ...change }: Json): Promise<Json> => {
    const [path, part = (body: Json) => body] = shown[kindOf(change)]?.(
      objectId,
      `/bank_accounts/${bankAccountId}`,
    ) ?? ['']
    const { status, body } = await call(baseUrl, 'GET', path, { headers: sessionHeaders })
    return status === 404 ? null : (part(body) ?? null)
  }
  const differing = async () => {
    const changes = [...(await changedObjects(baseUrl, sessionHeaders)).values()]
    const answers = await Promise.all(changes.map(get))
    const pairs = changes.map(({ object }, at) =>
      [object, answers[at]].map((one) => JSON.stringify(one)),
    )
    return { changes, unequal: pairs.filter(([object, answer]) => object !== answer) }
  }
  const isThere = ({ object }: Json) => object !== null
  // The last changes come to the feed after the answers of their requests.
  const { changes } = await eventually(differing, ({ changes, unequal }) => {
    return unequal.length === 0 && kindsOf(changes.filter(isThere)).length === kinds.length
  })
  const toKey = [...(await changedObjects(baseUrl, headers)).values()]
  return {
    hidden: kindsOf(toKey.filter((one) => !('object' in one))),
    present: kindsOf(changes.filter(isThere)),
    gone: kindsOf(changes.filter(({ object }) => object === null)),
  }
}

const kindsOf = (changes: readonly Json[]) => [...new Set(changes.map(kindOf))].toSorted()

/** Kinds of objects, in alphabetical order. */
export const kinds = Object.keys(shown).toSorted()
