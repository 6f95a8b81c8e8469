import { create } from '@bufbuild/protobuf'
import { readsOf } from '@coffer/kit/rpc/objects'
import { callerOf } from '@coffer/kit/rpc/rpc'
import {
  type BankAccountService,
  GetBankAccountRequestSchema,
} from '@coffer/proto/ledger/v1/bank_account'
import { GetImportRequestSchema, type ImportService } from '@coffer/proto/ledger/v1/import'
import { GetLinkRequestSchema, type LinkService } from '@coffer/proto/ledger/v1/link'
import { ListMappingsRequestSchema, type MappingService } from '@coffer/proto/ledger/v1/mapping'
import type { ObjectService } from '@coffer/proto/ledger/v1/object'
import { ListRulesRequestSchema, type RuleService } from '@coffer/proto/ledger/v1/rule'
import { GetRuleRunRequestSchema, type RuleRunService } from '@coffer/proto/ledger/v1/rule_run'
import type { Transaction } from '@coffer/proto/ledger/v1/transaction'
import { GetUploadRequestSchema, type UploadService } from '@coffer/proto/ledger/v1/upload'
import {
  GetUploadGroupRequestSchema,
  type UploadGroupService,
} from '@coffer/proto/ledger/v1/upload_group'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'

/** RPC handlers of other folders that read one object. */
type Reads = Pick<ServiceImpl<typeof BankAccountService>, 'getBankAccount'> &
  Pick<ServiceImpl<typeof ImportService>, 'getImport'> &
  Pick<ServiceImpl<typeof LinkService>, 'getLink'> &
  Pick<ServiceImpl<typeof MappingService>, 'listMappings'> &
  Pick<ServiceImpl<typeof RuleService>, 'listRules'> &
  Pick<ServiceImpl<typeof RuleRunService>, 'getRuleRun'> &
  Pick<ServiceImpl<typeof UploadService>, 'getUpload'> &
  Pick<ServiceImpl<typeof UploadGroupService>, 'getUploadGroup'>

interface Deps {
  reads: Reads
  /** Batching: reads transactions by one statement, as most changes are of transactions. */
  readTransactions: (
    accountId: string,
    keys: readonly { bankAccountId: string; transactionId: string }[],
  ) => Promise<Transaction[]>
}

/**
 * Returns the RPC handler that reads objects of several kinds. Kinds that change rarely are read
 * one after another by the handlers of their own RPCs, so that the replies are equal.
 */
export function objectRoutes({ reads, readTransactions }: Deps): ServiceImpl<typeof ObjectService> {
  return {
    readObjects: async ({ objects }, context) => {
      const asked = readsOf(objects)
      const transactions = asked.of('transaction').map(({ objectId: transactionId, ...key }) => ({
        bankAccountId: key.bankAccountId ?? '',
        transactionId,
      }))
      const { accountId } = callerOf(context)
      return {
        transactions: await readTransactions(accountId, transactions),
        ...(await readAccounts(reads, asked, context)),
        ...(await readFiles(reads, asked, context)),
        ...(await readRules(reads, asked, context)),
      }
    },
  }
}

type Asked = ReturnType<typeof readsOf>

async function readAccounts(reads: Reads, { of, present }: Asked, context: HandlerContext) {
  const bankAccounts = await present(of('bank_account'), async ({ objectId }) => {
    const request = create(GetBankAccountRequestSchema, { bankAccountId: objectId })
    const { bankAccount } = await reads.getBankAccount(request, context)
    return bankAccount ? [bankAccount] : []
  })
  const links = await present(of('link'), async ({ objectId: linkId }) => {
    const { link } = await reads.getLink(create(GetLinkRequestSchema, { linkId }), context)
    return link ? [link] : []
  })
  return { bankAccounts, links }
}

async function readFiles(reads: Reads, { of, present }: Asked, context: HandlerContext) {
  const imports = await present(of('import'), async ({ objectId, bankAccountId = '' }) => {
    const key = { bankAccountId, transactionImportId: objectId }
    const found = await reads.getImport(create(GetImportRequestSchema, key), context)
    return found.import ? [found.import] : []
  })
  const uploads = await present(of('upload'), async ({ objectId, bankAccountId = '' }) => {
    const key = { bankAccountId, transactionUploadId: objectId }
    const { upload } = await reads.getUpload(create(GetUploadRequestSchema, key), context)
    return upload ? [upload] : []
  })
  const uploadGroups = await present(of('upload_group'), async ({ objectId }) => {
    const request = create(GetUploadGroupRequestSchema, { uploadGroupId: objectId })
    const { uploadGroup } = await reads.getUploadGroup(request, context)
    return uploadGroup ? [uploadGroup] : []
  })
  return { imports, uploads, uploadGroups }
}

async function readRules(reads: Reads, { of, present }: Asked, context: HandlerContext) {
  const transactionImportMappingIds = of('mapping').map(({ objectId }) => objectId)
  const limit = transactionImportMappingIds.length
  const wanted = create(ListMappingsRequestSchema, { transactionImportMappingIds, limit })
  const { mappings = [] } = limit > 0 ? await reads.listMappings(wanted, context) : {}
  const ruleIds = new Set(of('rule').map(({ objectId }) => objectId))
  const every = create(ListRulesRequestSchema)
  const { rules = [] } = ruleIds.size > 0 ? await reads.listRules(every, context) : {}
  const ruleRuns = await present(of('rule_run'), async ({ objectId: ruleRunId }) => {
    const { run } = await reads.getRuleRun(create(GetRuleRunRequestSchema, { ruleRunId }), context)
    return run ? [run] : []
  })
  return { mappings, rules: rules.filter(({ ruleId = '' }) => ruleIds.has(ruleId)), ruleRuns }
}
