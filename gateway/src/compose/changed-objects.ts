import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import type { Log } from '@coffer/kit/service/log'
import { FundingScheduleSchema } from '@coffer/proto/budgeting/v1/funding_schedule'
import { ObjectService as Plans } from '@coffer/proto/budgeting/v1/object'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { ApiKeySchema } from '@coffer/proto/identity/v1/api_key'
import { ObjectService as Identity } from '@coffer/proto/identity/v1/object'
import { AccountSchema, UserSchema } from '@coffer/proto/identity/v1/user'
import { ImportSchema } from '@coffer/proto/ledger/v1/import'
import { ImportMappingSchema } from '@coffer/proto/ledger/v1/mapping'
import { ObjectService as Ledger } from '@coffer/proto/ledger/v1/object'
import { RuleSchema } from '@coffer/proto/ledger/v1/rule'
import { RuleRunSchema } from '@coffer/proto/ledger/v1/rule_run'
import { TransactionSchema } from '@coffer/proto/ledger/v1/transaction'
import { UploadSchema } from '@coffer/proto/ledger/v1/upload'
import { UploadGroupSchema } from '@coffer/proto/ledger/v1/upload_group'
import type { Change } from '@coffer/proto/notices/v1/feed'
import { WebhookSchema, WebhookService } from '@coffer/proto/notices/v1/webhook'
import type { CallOptions } from '@connectrpc/connect'
import { renderAnswer } from '../http/answers/answer.ts'
import { bankAccountAnswer, createCandidates } from './feed-bank-account.ts'
import { createConnections, linkAnswer } from './link.ts'

type ChangedObject = Pick<Change, 'type' | 'objectId' | 'bankAccountId'>

/** Objects of one kind, rendered as JSON, by ID. */
type Rendered = [kind: string, byId: Map<string, unknown>]

/**
 * Returns the current object of a change as JSON, as its GET renders it: null if it is deleted,
 * undefined if the credential may not read it.
 */
export type ObjectOf = (change: ChangedObject) => unknown

const kindOf = ({ type }: ChangedObject) => type.split('.', 1)[0] ?? ''

type Owner = 'ledger' | 'budgeting' | 'identity' | 'notices'
type Read = (objects: Key[], options: CallOptions) => Promise<Rendered[]>

/**
 * Services that own the kinds of objects (`kindOf`): their objects are read from them. The ledger
 * owns all other kinds.
 */
const owners = new Map<string, Owner>([
  ['funding_schedule', 'budgeting'],
  ['spending', 'budgeting'],
  ['account', 'identity'],
  ['api_key', 'identity'],
  ['user', 'identity'],
  ['webhook', 'notices'],
])

/** Returns a function that reads the objects of changes, with one call per service. */
export function createObjectReads(deps: { mesh: Mesh; log: Log }) {
  const plans = deps.mesh.client('budgeting', Plans)
  const logins = deps.mesh.client('identity', Identity)
  const endpoints = deps.mesh.client('notices', WebhookService)

  const budgeting: Read = async (objects, options) => {
    const { fundingSchedules, spending } = await plans.readObjects({ objects }, options)
    return [
      rendered('funding_schedule', FundingScheduleSchema, fundingSchedules, 'fundingScheduleId'),
      rendered('spending', SpendingSchema, spending, 'spendingId'),
    ]
  }
  const identity: Read = async (objects, options) => {
    const { account, apiKeys, users, refusedKinds } = await logins.readObjects({ objects }, options)
    const found = [
      rendered('account', AccountSchema, account ? [account] : [], 'accountId'),
      rendered('api_key', ApiKeySchema, apiKeys, 'apiKeyId'),
      rendered('user', UserSchema, users, 'userId'),
    ]
    return found.filter(([kind]) => !refusedKinds.includes(kind))
  }
  const notices: Read = async (_, options) => {
    // Reads all webhooks, because an account has few.
    const { webhooks } = await endpoints.listWebhooks({}, options)
    return [rendered('webhook', WebhookSchema, webhooks, 'webhookId')]
  }
  const readers = { ledger: createLedgerRead(deps), budgeting, identity, notices }
  return async (changes: readonly ChangedObject[], options: CallOptions): Promise<ObjectOf> => {
    const wanted = Map.groupBy(keysOf(changes), ({ kind }) => owners.get(kind) ?? 'ledger')
    const found = await Promise.all(
      [...wanted].map(([owner, keys]) => readers[owner](keys, options)),
    )
    const byKind = new Map(found.flat())
    return (change) => {
      const known = byKind.get(kindOf(change))
      return known && (known.get(change.objectId) ?? null)
    }
  }
}

type Key = { kind: string; objectId: string; bankAccountId?: string }

/** Returns the keys of the changed objects, each once. */
function keysOf(changes: readonly ChangedObject[]): Key[] {
  const keys = new Map<string, Key>()
  for (const change of changes) {
    const { objectId, bankAccountId } = change
    const at = bankAccountId === undefined ? {} : { bankAccountId }
    keys.set(`${kindOf(change)} ${objectId}`, { kind: kindOf(change), objectId, ...at })
  }
  return [...keys.values()]
}

function createLedgerRead(deps: { mesh: Mesh; log: Log }): Read {
  const ledger = deps.mesh.client('ledger', Ledger)
  const connections = createConnections(deps)
  const candidates = createCandidates(deps)
  return async (objects, options) => {
    const found = await ledger.readObjects({ objects }, options)
    const [links, bankAccounts] = await Promise.all([
      connections.join(found.links, options),
      candidates.join(found.bankAccounts, options),
    ])
    const shownLinks = links.map(
      (one) => [one.message.linkId, renderAnswer(linkAnswer, one)] as const,
    )
    const shownAccounts = bankAccounts.map(
      (one) => [one.message.bankAccountId, renderAnswer(bankAccountAnswer, one)] as const,
    )
    return [
      ['link', new Map(shownLinks)],
      ['bank_account', new Map(shownAccounts)],
      rendered('import', ImportSchema, found.imports, 'transactionImportId'),
      rendered('mapping', ImportMappingSchema, found.mappings, 'transactionImportMappingId'),
      rendered('rule', RuleSchema, found.rules, 'ruleId'),
      rendered('rule_run', RuleRunSchema, found.ruleRuns, 'ruleRunId'),
      rendered('transaction', TransactionSchema, found.transactions, 'transactionId'),
      rendered('upload', UploadSchema, found.uploads, 'transactionUploadId'),
      rendered('upload_group', UploadGroupSchema, found.uploadGroups, 'uploadGroupId'),
    ]
  }
}

function rendered<Desc extends DescMessage>(
  kind: string,
  schema: Desc,
  messages: readonly MessageShape<Desc>[],
  id: keyof MessageShape<Desc>,
): Rendered {
  return [kind, new Map(messages.map((one) => [String(one[id]), renderAnswer(schema, one)]))]
}
