import type { ItemSync } from '@coffer/aggregator-sync/syncs/item-sync'
import { readSync, requestByOperator } from '@coffer/aggregator-sync/syncs/operator.service'
import { loadSigner } from '@coffer/host/rpc/signing-key'
import { createSecrets } from '@coffer/host/secrets/envelope-encryption'
import { createKeyEncryption, keySettings } from '@coffer/host/secrets/key-settings'
import { readSettings } from '@coffer/host/settings'
import { type Booted, eventually } from '@coffer/host/testing/boot'
import { systemCaller } from '@coffer/kit/rpc/caller'
import { asCaller } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { AggregatorSyncService } from '@coffer/proto/aggregatorsync/v1/aggregator_sync'
import { SyncImportService } from '@coffer/proto/ledger/v1/sync_import'
import type { SyncHealth } from '@coffer/proto/sync/v1/health'
import type { CallOptions } from '@connectrpc/connect'
import { sql } from 'slonik'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Json, Person } from '../harness/person.ts'
import type { NewAccount } from '../providers/plaid/account.ts'
import type { PlaidBank } from '../providers/plaid/bank.ts'
import type { PlaidItem } from '../providers/plaid/item.ts'
import { type Plaid, startPlaid } from '../providers/plaid/plaid.ts'

/** All services, and the simulated Plaid that they call. */
export interface PlaidWorld extends AsyncDisposable {
  coffer: Coffer
  plaid: Plaid
}

/** A link of a person to an item, with a bank account for each of the item's. */
export interface PlaidHome {
  person: Person
  linkId: string
  key: Key
  item: PlaidItem
  /** Returns the paths of all calls of the item so far. */
  calls: () => string[]
  /** IDs of the item's accounts. */
  ids: string[]
  /** Paths of the bank accounts in the REST API, in the order of the item's accounts. */
  paths: string[]
  /** The first account at the bank. */
  bank: PlaidBank
  /** Requests a sync, also within 30 minutes of the last one, and waits until it ends. */
  sync: () => Promise<SyncHealth>
  /** Requests a sync and returns at once. */
  request: () => Promise<void>
  /** Requests a sync as a user, of another account if stated. */
  requestAsUser: (accountId?: string) => Promise<unknown>
  state: () => Promise<ItemSync>
  until: (isReached: (state: ItemSync) => boolean) => Promise<ItemSync>
  health: () => Promise<SyncHealth>
  /** Creates the bank accounts that the item has now, and nothing else; returns their paths. */
  createAccounts: () => Promise<string[]>
  /** Does so, and requests all transactions, as an update does. */
  addAccounts: () => Promise<string[]>
  /** Removes transactions of the first account from the ledger, as a lost import would. */
  forget: (providerIds: string[]) => Promise<unknown>
  /** Lists the transactions of a bank account, of the first by default, newest first. */
  list: (path?: string) => Promise<Json[]>
}

/** Starts all services and the simulated Plaid. */
export async function startPlaidWorld(
  environment: Record<string, string> = {},
): Promise<PlaidWorld> {
  const plaid = await startPlaid()
  const coffer = await startCoffer({
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_CLIENT_ID: plaid.clientId,
    COFFER_AGGREGATOR_CLIENT_SECRET: plaid.secret,
    COFFER_AGGREGATOR_URL: plaid.url,
    COFFER_AGGREGATOR_ITEM_CALLS_PER_MINUTE: '10000',
    ...environment,
  })
  return {
    coffer,
    plaid,
    [Symbol.asyncDispose]: async () => {
      await plaid[Symbol.asyncDispose]()
      await coffer[Symbol.asyncDispose]()
    },
  }
}

// A sync waits up to three times a minute at Plaid's limits (docs/banks/aggregator.md#limits).
const syncMs = 240_000

/** Registers a person and links a new item with these accounts, by default one. */
export async function linkItem(
  { coffer, plaid }: PlaidWorld,
  accounts: NewAccount[] = [{}],
): Promise<PlaidHome> {
  const { booted } = coffer
  const person = await coffer.person()
  const { accountId } = person
  const item = plaid.createItem({ accounts })
  const linkId = newId('link')
  const key = { accountId, linkId }
  const bankAccountIds = await createInLedger(booted, key, item)
  await insertLink(booted, key, item)
  const database = booted.database('aggregator-sync')
  const state = () => readSync(database, key)
  const until = (isReached: (sync: ItemSync) => boolean) => eventually(state, isReached, syncMs)
  const request = async () => {
    await requestByOperator(database, linkId, booted.clock.now ?? new Date())
  }
  const syncs = booted.client('aggregator-sync', AggregatorSyncService)
  const health = async () => {
    const found = await syncs.getHealth({ linkId }, booted.as(accountId))
    if (!found.health) throw new Error('the link has no health')
    return found.health
  }
  const pathOf = (bankAccountId: string) => `/bank_accounts/${bankAccountId}`
  const paths = bankAccountIds.map(pathOf)
  const createAccounts = async () => (await createInLedger(booted, key, item)).map(pathOf)
  const ids = item.accounts().map(({ account_id }) => account_id)
  return {
    person,
    linkId,
    key,
    item,
    ids,
    paths,
    bank: item.bank(ids[0] ?? ''),
    state,
    until,
    request,
    requestAsUser: (by = accountId) => syncs.requestAggregatorSync({ linkId }, booted.as(by)),
    health,
    sync: async () => {
      await request()
      const isWaiting = (at: Date | null) => at !== null && at <= (booted.clock.now ?? new Date())
      await until(({ requestedAt, syncRunId }) => !isWaiting(requestedAt) && !syncRunId)
      return health()
    },
    calls: () => {
      const isOwn = (token: unknown) => token === item.accessToken
      return plaid.calls.flatMap((one) => (isOwn(one.request?.access_token) ? one.path : []))
    },
    createAccounts,
    addAccounts: async () => {
      const all = await createAccounts()
      await database.pool.query(sql.unsafe`
        UPDATE aggregator_links SET whole_requested_at = now() WHERE link_id = ${linkId}`)
      return all
    },
    forget: (providerTransactionIds) => {
      const of = { bankAccountId: bankAccountIds[0] ?? '', providerTransactionIds }
      const client = booted.client('ledger', SyncImportService)
      return client.removeTransactions(of, asService(booted, accountId))
    },
    list: (path = paths[0] ?? '') => person.get(`${path}/transactions`),
  }
}

interface Key {
  accountId: string
  linkId: string
}

function asService(booted: Booted, accountId: string): CallOptions {
  const signer = loadSigner(booted.keysFolder, 'aggregator-sync')
  return asCaller(systemCaller(signer, accountId, new Date()))
}

/** Creates the link and its bank accounts in the ledger; returns their IDs. */
async function createInLedger(
  booted: Booted,
  { accountId, linkId }: Key,
  item: PlaidItem,
): Promise<string[]> {
  const by = asService(booted, accountId)
  const ledger = booted.client('ledger', SyncImportService)
  await ledger.upsertLink({ linkId, institutionName: 'First Bank', createdBy: 'user_1' }, by)
  const listed = item.accounts().map((account) => ({
    providerAccountId: account.account_id,
    name: account.name,
    mask: account.mask ?? '',
    currency: account.balances.iso_currency_code ?? 'USD',
    accountType: account.type,
    accountSubType: account.subtype ?? '',
  }))
  const { accounts } = await ledger.upsertBankAccounts({ linkId, accounts: listed }, by)
  return accounts.map(({ bankAccountId }) => bankAccountId)
}

/** Inserts the connection of a link to an item, as the set-up leaves it. */
async function insertLink(
  booted: Booted,
  { accountId, linkId }: Key,
  { itemId, accessToken }: PlaidItem,
): Promise<void> {
  const keys = createKeyEncryption(readSettings(keySettings, {}), booted.keysFolder)
  const sealed = await createSecrets(keys).seal(accessToken, `${accountId}/${linkId}`)
  const now = (booted.clock.now ?? new Date()).toISOString()
  await booted.database('aggregator-sync').pool.query(sql.unsafe`
    WITH link AS (
      INSERT INTO aggregator_links (account_id, link_id, status, item_id, institution_name,
        products, created_at, created_by, updated_at)
      VALUES (${accountId}, ${linkId}, 'pending', ${itemId}, 'First Bank', '{transactions}',
        ${now}, 'user_1', ${now})
    )
    INSERT INTO aggregator_tokens (account_id, link_id, kind, key_id, data_key, ciphertext)
    VALUES (${accountId}, ${linkId}, 'access', ${sealed.keyId}, ${sql.binary(sealed.dataKey)},
      ${sql.binary(sealed.ciphertext)})`)
}
