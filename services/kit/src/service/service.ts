import type { ConnectRouter } from '@connectrpc/connect'
import type { Database } from '../database/database.ts'
import type { Handler } from '../events/consumer.ts'
import type { Broker } from '../events/nats.ts'
import type { Signer } from '../rpc/caller.ts'
import type { Mesh } from '../rpc/client.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { WorkflowSchedule, Workflows } from '../workflows/temporal.ts'
import type { Settings, ValuesOf } from './config.ts'
import type { Log } from './log.ts'

/** What a service is: its name, settings and tables, and how to make it from what it needs. */
export interface ServiceDefinition<S extends Settings = Settings> {
  name: string
  /** The database schema of its tables. */
  schema: string
  /** Folder of its migrations. */
  migrations: URL
  settings: S
  /** Columns (`table.column`) of which an account gets no copy, beside the secrets (kit). */
  hidden?: string[]
  // A method, so that definitions with settings of their own fit one list.
  create(deps: ServiceDeps<S>): Service
}

/** What a process offers each service it hosts. */
export interface ServiceDeps<S extends Settings = Settings> {
  config: ValuesOf<S>
  database: Database
  broker: Broker
  workflows: Workflows
  mesh: Mesh
  /** Signs what the service does by itself. */
  signer: Signer
  /** Seals what the service keeps for others: access tokens, keys, seeds. */
  secrets: Secrets
  log: Log
  clock: () => Date
}

/** What a process does for a service while it hosts it. */
export interface Service {
  routes: (router: ConnectRouter) => void
  /** Handlers of its durable consumer, which bears its name. */
  handlers?: Handler[]
  /** Its task queue bears its name. */
  workflowModules?: URL[]
  // biome-ignore lint/suspicious/noExplicitAny: activities differ in their arguments
  activities?: Record<string, (...args: any[]) => Promise<unknown>>
  schedules?: WorkflowSchedule[]
  /** IDs of schedules it may have had under other settings. */
  formerSchedules?: string[]
  /** Waits for what has to be there before it is called (worker threads). */
  ready?: () => Promise<void>
  /** Frees what the service opened itself (worker threads). */
  close?: () => Promise<void>
}

/** Keeps the settings' types while a definition joins a list of services. */
export function defineService<S extends Settings>(
  definition: ServiceDefinition<S>,
): ServiceDefinition<S> {
  return definition
}
