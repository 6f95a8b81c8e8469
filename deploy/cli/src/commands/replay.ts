import { setTimeout as sleep } from 'node:timers/promises'
import { startRelay } from '@coffer/host/events/relay'
import { republish, unpublishedCount } from '@coffer/host/events/replay'
import { createLog } from '@coffer/host/logger'
import { type Environment, readSettings } from '@coffer/host/settings'
import { restateAccounts } from '@coffer/identity/accounts/operator.service'
import { settings as identitySettings } from '@coffer/identity/config'
import type { Database } from '@coffer/kit/database/database'
import type { Broker } from '@coffer/kit/events/broker'
import type { Log } from '@coffer/kit/service/log'
import { restateEnvelopes } from '@coffer/ledger/envelopes/restate.service'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { connectNats } from '../process/broker.ts'
import { createServiceDatabase } from '../process/databases.ts'
import { definitions } from '../process/services.ts'
import { requireTables } from '../process/tables.ts'
import { settings } from '../settings/config.ts'
import { readConfig } from '../settings/environment.ts'
import { shown } from './show.ts'

const pollMs = 200
const stuckMs = 30_000

/**
 * Functions, keyed by service: each emits the current state of all accounts (identity) or all
 * envelopes (ledger) of its service, and returns the number of emitted states.
 */
const restate: Record<string, (database: Database, env: Environment) => Promise<number>> = {
  identity: (database, env) => restateAccounts(database, readSettings(identitySettings, env)),
  ledger: restateEnvelopes,
}

/**
 * `coffer replay`: republishes the changes of every outbox, all or those since a time, and the
 * current states of accounts and envelopes (docs/operations.md). Services may run meanwhile. Throws
 * FatalError when NATS does not answer, or publishing makes no progress for 30 s.
 */
export async function replay(options: { since?: Date }, env: Environment): Promise<undefined> {
  const config = readConfig(env)
  await requireTables(definitions, config)
  const log = createLog({ level: config.logLevel, name: 'replay' })
  await using broker = await connectNats(config, log.child({}, { level: 'silent' }))
  if (!broker.hasConnected()) {
    throw new FatalError(`NATS at ${shown(settings.natsUrl, config.natsUrl)} does not answer.`)
  }
  for (const definition of definitions) {
    const { name } = definition
    await using database = await createServiceDatabase(definition, config)
    const changes = await republish(database, options.since ?? null)
    const states = (await restate[name]?.(database, config.environment)) ?? 0
    await publishAll({ name, database, broker, log })
    console.log(`${name}: ${changes} changes and ${states} states published`)
  }
}

/** Runs a relay until the outbox has no unpublished changes; relays of services may run too. */
async function publishAll(options: {
  name: string
  database: Database
  broker: Broker
  log: Log
}): Promise<void> {
  const { name, database, broker, log } = options
  const { onChanges } = database
  await using _relay = startRelay({ service: name, database, onChanges, broker, log })
  let least: bigint | null = null
  let stuckSince = performance.now()
  for (;;) {
    const count = await unpublishedCount(database)
    if (count === 0n) return
    if (least === null || count < least) {
      least = count
      stuckSince = performance.now()
    }
    if (performance.now() - stuckSince > stuckMs) {
      throw new FatalError(`${name}: ${count} changes cannot be published; see the log above.`)
    }
    await sleep(pollMs)
  }
}
