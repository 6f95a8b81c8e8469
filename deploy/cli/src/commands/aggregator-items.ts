import { setTimeout as sleep } from 'node:timers/promises'
import {
  aggregatorAddresses,
  requireAggregatorSettings,
  settings,
} from '@coffer/aggregator-sync/config'
import {
  type OperatorDeps,
  refreshByOperator,
  setWebhookOf,
  setWebhooks,
  type WebhookResult,
} from '@coffer/aggregator-sync/links/operator.service'
import { describeFault, faultOf } from '@coffer/aggregator-sync/provider/plaid-fault'
import { startAggregator } from '@coffer/aggregator-sync/provider/provider.service'
import { aggregatorSync } from '@coffer/aggregator-sync/service'
import { createLog } from '@coffer/host/logger'
import { createSecrets } from '@coffer/host/secrets/envelope-encryption'
import { createKeyEncryption, keySettings } from '@coffer/host/secrets/key-settings'
import { requireSealingKey } from '@coffer/host/secrets/sealing-key'
import { type Environment, readSettings } from '@coffer/host/settings'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { ConnectError } from '@connectrpc/connect'
import { createServiceDatabase } from '../process/databases.ts'
import { requireTables } from '../process/tables.ts'
import { readConfig } from '../settings/environment.ts'

/**
 * Client ID and secret at Plaid; by default those of the settings. A server of `npm start` does not
 * share its secret with commands, so they need it as an option.
 */
export interface KeyOptions {
  clientId?: string
  secret?: string
}

/**
 * `coffer aggregator:refresh`: makes Plaid ask the institution of a link for new transactions.
 * Throws FatalError for a link that is not over the aggregator (Plaid), at Plaid's rate limit, and
 * if Plaid refuses.
 */
export async function refreshLink(
  { linkId, ...keys }: KeyOptions & { linkId: string },
  env: Environment,
): Promise<undefined> {
  await using opened = await openAggregator(keys, env)
  if (!(await refreshByOperator(opened.deps, linkId).catch(asFatal))) throw unknownLink(linkId)
  console.log('Plaid asks the institution for new transactions, which takes up to some minutes.')
  console.log(
    opened.webhookUrl === null
      ? `Then sync the link:\n  coffer sync ${linkId}`
      : 'A webhook starts the sync of the link, if there are any.',
  )
}

const reportedEvery = 100

/**
 * `coffer aggregator:webhook`: registers the webhook URL of the settings at Plaid, for all links
 * with another URL, or for one link. Returns 1 if it fails for a link. Throws FatalError if
 * webhooks are off, for a link that is not over the aggregator (Plaid), and if Plaid refuses the
 * keys.
 */
export async function registerWebhook(
  { linkId, ...keys }: KeyOptions & { linkId?: string },
  env: Environment,
): Promise<number> {
  await using opened = await openAggregator(keys, env)
  const { deps, webhookUrl: url } = opened
  if (url === null) {
    throw new FatalError(
      'Webhooks are off: set COFFER_AGGREGATOR_WEBHOOKS_ENABLED=true, and the domain.',
    )
  }
  const count = { done: 0, failed: 0 }
  const onResult = ({ linkId: id, failure }: WebhookResult) => {
    if (failure !== null) console.error(`${id}: ${failure}`)
    count[failure === null ? 'done' : 'failed'] += 1
    const total = count.done + count.failed
    if (total % reportedEvery === 0) console.log(`${total} links so far`)
  }
  const of = { url, pause: sleep }
  if (linkId === undefined) {
    await setWebhooks(deps, of, onResult).catch(asFatal)
  } else {
    const result = await setWebhookOf(deps, { ...of, linkId }).catch(asFatal)
    if (result === null) throw unknownLink(linkId)
    onResult(result)
  }
  console.log(`${url}: registered ${count.done}, failed ${count.failed}`)
  return count.failed === 0 ? 0 : 1
}

/**
 * Opens aggregator-sync's database, and a client of Plaid that shares the limits of all processes.
 */
async function openAggregator(
  { clientId, secret }: KeyOptions,
  env: Environment,
): Promise<AsyncDisposable & { deps: OperatorDeps; webhookUrl: string | null }> {
  const config = readConfig(env)
  const given = readSettings(settings, config.environment)
  if (!given.aggregatorEnabled) {
    throw new FatalError('The aggregator is off: set COFFER_AGGREGATOR_ENABLED=true.')
  }
  const chosen = {
    ...given,
    clientId: clientId ?? given.clientId,
    clientSecret: secret ?? given.clientSecret,
  }
  requireAggregatorSettings(chosen)
  await requireTables([aggregatorSync], config)
  const keys = createKeyEncryption(readSettings(keySettings, config.environment), config.keysDir)
  await using opening = new AsyncDisposableStack()
  const database = opening.use(await createServiceDatabase(aggregatorSync, config))
  await requireSealingKey([{ name: aggregatorSync.name, database }], keys, config.keysDir)
  const { webhookUrl, redirectUri } = aggregatorAddresses(chosen)
  // Silent, because the command itself prints one line for each fault.
  const log = createLog({ level: 'silent', name: 'coffer' })
  const limited = { database, log }
  const options = { ...chosen, url: chosen.aggregatorUrl, redirectUri }
  const aggregator = opening.use(startAggregator(limited, options))
  const deps = { database, secrets: createSecrets(keys), openAggregator: aggregator.open }
  const open = opening.move()
  return { deps, webhookUrl, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

function unknownLink(linkId: string): FatalError {
  return new FatalError(`No link over the aggregator has the ID ${linkId}.`)
}

/** Throws FatalError with a text for the user if Plaid or the service refuses; else rethrows. */
function asFatal(error: unknown): never {
  const fault = faultOf(error)
  if (fault?.code === 'rate-limited') {
    const seconds = Math.ceil((fault.retryAfterMs ?? 60_000) / 1_000)
    throw new FatalError(`Plaid allows no more such calls now: try again in ${seconds} s.`)
  }
  if (fault?.code === 'keys-refused') {
    throw new FatalError(
      `Plaid refuses the keys (${fault.detail}): give them with --client-id and --secret.`,
    )
  }
  if (fault?.detail === 'INVALID_PRODUCT') {
    throw new FatalError(
      'Plaid has not enabled "Transactions Refresh" for these keys: ask for it in its dashboard.',
    )
  }
  if (fault) throw new FatalError(`${describeFault(fault).text}.`)
  throw error instanceof ConnectError ? new FatalError(`${error.rawMessage}.`) : error
}
