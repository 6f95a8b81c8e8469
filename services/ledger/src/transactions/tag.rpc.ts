import { isDeepStrictEqual } from 'node:util'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { foldText } from '@coffer/kit/values/fold'
import { type RenameTagsRequest, TagSchema, type TagService } from '@coffer/proto/ledger/v1/tag'
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect'
import { type FieldMarks, findRuleOf } from '../book/field-marks.ts'
import { findBlankTags, renameTags, type TagRenaming, tagsMax, visible } from '../book/tags.ts'
import type { Transaction } from '../book/transaction.ts'
import { endOperation, startOperation } from '../money/operation.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { findTagged, listTags, type TaggedKey } from './tag.sql.ts'

/** Renames tags in the actions of rules. */
export type RenameInRules = (accountId: string, change: TagRenaming) => Promise<void>

type Deps = Pick<ServiceDeps, 'database'> &
  Pick<MoneyWriter, 'write'> & { renameInRules: RenameInRules }

/** Maximum number of tags in the list, the most frequent ones (docs/limits.md). */
const listedMax = 1_000

/** Number of transactions per save; more would delay other changes of the bank account. */
const pageSize = 200

/** Maximum number of pages per request, so that it ends before its deadline (docs/limits.md). */
const pagesMax = 10

/** Returns the RPC handlers of the tags of an account (docs/rules/tags.md). */
export function tagRoutes(deps: Deps): ServiceImpl<typeof TagService> {
  return {
    listTags: async (_request, context) => {
      const { accountId } = callerOf(context)
      const tags = await listTags(deps.database, accountId, listedMax)
      return { tags: tags.map((one) => toMessage(TagSchema, one)) }
    },
    renameTags: (request, context) => renameAll(deps, request, context),
  }
}

/**
 * Renames tags on all transactions of the account, page by page: each page is one save of a bank
 * account. A repetition continues, because renamed transactions no longer match.
 */
async function renameAll(
  deps: Deps,
  { tags, name: named }: RenameTagsRequest,
  context: HandlerContext,
) {
  if (tags.length === 0 || tags.length > tagsMax)
    throw invalid({ tags: say('TAG_COUNT', { min: 1, max: 20 }) })
  const { accountId } = callerOf(context)
  const name = named ?? null
  if (name !== null && findBlankTags([name])) throw invalid({ name: visible })
  // The new name is also a former one, so that tags of another spelling get the new spelling.
  const all = name === null ? tags : [...tags, name]
  const change = { former: new Set(all.map(foldText)), name }
  // Rules first, so that a transaction imported in between already gets the new name.
  await deps.renameInRules(accountId, change)
  let after: TaggedKey = { bankAccountId: '', transactionId: '' }
  let changedCount = 0
  for (let page = 0; page < pagesMax; page += 1) {
    const wanted = { tags: all, name, after, limit: pageSize }
    const found = await findTagged(deps.database, accountId, wanted)
    const byAccount = Map.groupBy(found, ({ bankAccountId }) => bankAccountId)
    for (const [bankAccountId, rows] of byAccount) {
      const transactionIds = rows.map(({ transactionId }) => transactionId)
      changedCount += await renameIn(deps, { bankAccountId, transactionIds, change }, context)
    }
    const last = found[pageSize - 1]
    if (!last) return { changedCount, isComplete: true }
    after = last
  }
  return { changedCount, isComplete: false }
}

interface Page {
  bankAccountId: string
  transactionIds: readonly string[]
  change: TagRenaming
}

/** Returns the number of changed transactions; 0 if the bank account is being deleted. */
async function renameIn(
  { write }: Deps,
  { bankAccountId, transactionIds, change }: Page,
  context: HandlerContext,
): Promise<number> {
  const { accountId, userId: createdBy } = callerOf(context)
  const writing = write({
    scope: { accountId, bankAccountId, transactionIds },
    createdBy,
    isAlone: true,
    signal: context.signal,
    decide: (current) => {
      const named = new Set(transactionIds)
      const transactions = current.transactions
        .filter(({ transactionId }) => named.has(transactionId))
        .map((before) => ({ before, tags: before.tags && renameTags(before.tags, change) }))
        .filter(({ before, tags }) => !isDeepStrictEqual(before.tags, tags))
        .map(({ before, tags }) => ({ ...before, tags, fieldMarks: renameMark(before, tags) }))
      const reply = transactions.length
      if (reply === 0) return { reply }
      return { settlement: endOperation(startOperation(current)), transactions, reply }
    },
  })
  return writing.catch((error: unknown) => {
    if (ConnectError.from(error).code !== Code.NotFound) throw error
    return 0
  })
}

/** Returns the marks after a renaming: tags set by a rule still count as set by this rule. */
function renameMark(before: Transaction, tags: string[] | null): FieldMarks | null {
  const ruleId = findRuleOf(before, 'tags')
  return ruleId === null
    ? before.fieldMarks
    : { ...before.fieldMarks, tags: { ruleId, value: tags } }
}
