import { SettingsError } from '@coffer/kit/config'
import { type Broker, connectBroker } from '@coffer/kit/nats'
import { connectTemporal, type Workflows } from '@coffer/kit/temporal'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { reasonOf } from './databases.ts'
import type { Config } from './environment.ts'
import { serviceNames } from './service-names.ts'

/**
 * @throws {SettingsError} when no setting names NATS
 * @throws {FatalError} when it does not answer
 */
export async function openBroker({ natsUrl: url, prefix }: Config): Promise<Broker> {
  if (url === undefined) {
    throw new SettingsError('COFFER_NATS_URL: not set; "npm start" brings NATS along')
  }
  return reached('NATS', url, connectBroker({ url, prefix, serviceNames: [...serviceNames] }))
}

/**
 * @throws {SettingsError} when no setting names Temporal
 * @throws {FatalError} when it does not answer
 */
export async function openWorkflows(config: Config): Promise<Workflows> {
  const { temporalAddress: address, temporalNamespace: namespace, prefix } = config
  if (address === undefined) {
    throw new SettingsError('COFFER_TEMPORAL_ADDRESS: not set; "npm start" brings Temporal along')
  }
  return reached('Temporal', address, connectTemporal({ address, namespace, prefix }))
}

async function reached<T>(server: string, url: string, connection: Promise<T>): Promise<T> {
  try {
    return await connection
  } catch (error) {
    throw new FatalError(`${server} at ${url} does not answer: ${reasonOf(error)}`)
  }
}
