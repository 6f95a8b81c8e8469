import { AggregatorLink, type LinkKey } from '@coffer/aggregator-sync/connections/aggregator-link'
import type { linkActivities } from '@coffer/aggregator-sync/links/link.activities'
import { endConnection } from '@coffer/aggregator-sync/links/link-release.service'
import { aggregatorSync } from '@coffer/aggregator-sync/service'
import { type Booted, boot } from '@coffer/host/testing/boot'
import { deletingIdentity } from '@coffer/host/testing/deleting-identity'
import { columnsOf } from '@coffer/kit/database/rows'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import type { WorkflowStart } from '@coffer/kit/workflows/workflows'
import { ledger } from '@coffer/ledger/service'
import { AggregatorLinkService } from '@coffer/proto/aggregatorsync/v1/aggregator_link'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { ConnectError } from '@connectrpc/connect'
import { sql } from 'slonik'
import { z } from 'zod'
import type { PlaidItem } from '../../providers/plaid/item.ts'
import { type Plaid, startPlaid } from '../../providers/plaid/plaid.ts'

/** The ledger and aggregator-sync, and the simulated Plaid. */
export interface LinkWorld extends AsyncDisposable {
  booted: Booted
  plaid: Plaid
  links: ReturnType<typeof clientOf>
  /** Returns a user of a new account. */
  user: () => WorldUser
  activities: () => ReturnType<typeof linkActivities>
  /** Ends the connection of a link, as its clean-up and its lapse do. */
  end: (key: LinkKey) => Promise<void>
  /** Finishes a link as the workflow does, when the callback began two minutes ago. */
  finish: (key: LinkKey) => Promise<void>
}

/** A user, and what was stored for the account. */
export interface WorldUser {
  accountId: string
  userId: string
  as: ReturnType<Booted['as']>
  /** Completes Plaid Link, and calls the callback as its client does. */
  link: (more?: Partial<Callback>) => Promise<{ linkId: string; item: PlaidItem }>
  /** Returns what the callback needs, at the end of Plaid Link. */
  choose: () => Promise<{ callback: Omit<Callback, 'isTrialing'>; item: PlaidItem }>
  /** Rows of the account, oldest first. */
  rows: () => Promise<readonly AggregatorLink[]>
  /** Kinds of the tokens that are stored for links. */
  tokens: () => Promise<readonly string[]>
  /** Links in the ledger that are not deleted, with the names of their bank accounts. */
  inLedger: () => Promise<{ name: string; linkType: string; accounts: string[] }[]>
}

/** Arguments of the callback. */
export interface Callback {
  publicToken: string
  institutionId: string
  institutionName: string
  providerAccountIds: string[]
  isTrialing: boolean
}

export const minuteMs = 60_000
export const linkUser = { legalName: 'Ada King', email: 'ada@example.com', isTrialing: false }

const Token = z.object({ kind: z.string() })

const clientOf = (booted: Booted) => booted.client('aggregator-sync', AggregatorLinkService)

/** Starts the services; `definition` replaces aggregator-sync. */
export async function startLinkWorld(
  environment: Record<string, string> = {},
  definition: ServiceDefinition = aggregatorSync,
): Promise<LinkWorld> {
  const plaid = await startPlaid()
  const booted = await boot([deletingIdentity, ledger, definition], {
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_URL: plaid.url,
    COFFER_AGGREGATOR_CLIENT_ID: plaid.clientId,
    COFFER_AGGREGATOR_CLIENT_SECRET: plaid.secret,
    ...environment,
  })
  const links = clientOf(booted)
  const activities = () =>
    booted.host.services['aggregator-sync']?.activities as ReturnType<typeof linkActivities>
  return {
    booted,
    plaid,
    links,
    user: () => userOf({ booted, plaid, links }),
    activities,
    end: (key) => {
      const database = booted.database('aggregator-sync')
      return endConnection({ database, clock: () => booted.clock.now ?? new Date() }, key)
    },
    finish: async (key) => {
      await letTimePass(booted, key)
      for (let tries = 1; (await activities().finishLink(key)) !== null; tries += 1) {
        if (tries === 5) throw new Error('the link is not finished after five attempts')
      }
    },
    [Symbol.asyncDispose]: async () => {
      await booted[Symbol.asyncDispose]()
      await plaid[Symbol.asyncDispose]()
    },
  }
}

/** Makes a link two minutes older, and ends the call of its item that a dead process holds. */
async function letTimePass(booted: Booted, { accountId, linkId }: LinkKey): Promise<void> {
  const isLink = sql.fragment`account_id = ${accountId} AND link_id = ${linkId}`
  const { pool } = booted.database('aggregator-sync')
  await pool.query(sql.unsafe`
    UPDATE aggregator_links SET created_at = created_at - interval '2 minutes',
      updated_at = updated_at - interval '2 minutes'
    WHERE ${isLink}`)
  await pool.query(sql.unsafe`
    UPDATE item_calls SET holder = NULL, held_until = NULL WHERE ${isLink}`)
}

/** Returns aggregator-sync with a list of the workflows that it starts; none of them runs. */
export function withoutWorkflows(): { definition: ServiceDefinition; starts: WorkflowStart[] } {
  const starts: WorkflowStart[] = []
  const start = async (workflow: WorkflowStart) => void starts.push(workflow)
  const create: ServiceDefinition['create'] = (deps) => {
    const service: ServiceDefinition = aggregatorSync
    return service.create({ ...deps, workflows: { ...deps.workflows, start } })
  }
  return { definition: { ...aggregatorSync, create }, starts }
}

function userOf({ booted, plaid, links }: Pick<LinkWorld, 'booted' | 'plaid' | 'links'>) {
  const accountId = newId('acct')
  const userId = newId('user')
  const as = booted.as(accountId, { userId })
  const choose: WorldUser['choose'] = async () => {
    const { linkToken } = await links.createLinkToken({ user: linkUser }, as)
    const { publicToken, item } = plaid.completeLink(linkToken)
    return { callback: { publicToken, ...chosenOf(item) }, item }
  }
  const user: WorldUser = {
    accountId,
    userId,
    as,
    choose,
    link: async (more = {}) => {
      const { callback, item } = await choose()
      const { linkId } = await links.createAggregatorLink({ ...callback, ...more }, as)
      return { linkId, item }
    },
    rows: () =>
      booted.database('aggregator-sync').pool.any(sql.type(AggregatorLink)`
        SELECT ${columnsOf(AggregatorLink, { table: 'aggregator_links' })} FROM aggregator_links
        WHERE account_id = ${accountId} ORDER BY link_id`),
    tokens: () =>
      booted.database('aggregator-sync').pool.anyFirst(sql.type(Token)`
        SELECT kind FROM aggregator_tokens WHERE account_id = ${accountId}`),
    inLedger: async () => {
      const found = await booted.client('ledger', LinkService).listLinks({}, as)
      const accounts = await booted.client('ledger', BankAccountService).listBankAccounts({}, as)
      return found.links.map(({ linkId, institutionName: name, linkType }) => {
        const own = accounts.bankAccounts.filter((one) => one.linkId === linkId)
        return { name, linkType, accounts: own.map((one) => one.name).toSorted() }
      })
    },
  }
  return user
}

/** Returns what a user chooses who links all accounts of an item. */
export function chosenOf(item: PlaidItem): Omit<Callback, 'publicToken' | 'isTrialing'> {
  return {
    institutionId: item.institutionId,
    institutionName: 'First Platypus Bank',
    providerAccountIds: item.accounts().map((one) => one.account_id),
  }
}

/** Returns the message of a refusal, with the HTTP status of the error. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => new Error('not refused'),
    (reason) => reason,
  )
  return error instanceof ConnectError ? error.rawMessage : String(error)
}
