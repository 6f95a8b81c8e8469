import type { ConnectRouter } from '@connectrpc/connect'
import type { Database } from '../database/database.ts'
import type { Broker } from '../events/broker.ts'
import type { Handler } from '../events/handler.ts'
import type { Signer } from '../rpc/caller.ts'
import type { Mesh } from '../rpc/mesh.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { WorkflowSchedule, Workflows } from '../workflows/workflows.ts'
import type { Settings, ValuesOf } from './config.ts'
import type { Log } from './log.ts'

/** Definition of a service: name, settings, tables, and the function that creates it. */
export interface ServiceDefinition<S extends Settings = Settings> {
  name: string
  /** Name of the service's Postgres schema. */
  schema: string
  /** Folder of the service's migrations (SQL files). */
  migrations: URL
  settings: S
  /** Columns (`table.column`) that an account's export omits, in addition to secrets. */
  hidden?: string[]
  // Method syntax makes the parameter bivariant, so that services with different settings fit into
  // one list.
  create(deps: ServiceDeps<S>): Service
}

/** Dependencies that a process passes to each service that it hosts. */
export interface ServiceDeps<S extends Settings = Settings> {
  config: ValuesOf<S>
  database: Database
  broker: Broker
  workflows: Workflows
  mesh: Mesh
  /** Signs the service's calls that no user requested. */
  signer: Signer
  /** Encrypts secrets of users before they are stored: access tokens, keys, seeds. */
  secrets: Secrets
  log: Log
  clock: () => Date
  /** Aborts when the process begins to stop its services: work in progress should end soon. */
  stopping: AbortSignal
}

// biome-ignore lint/suspicious/noExplicitAny: activities differ in their arguments
export type Activities = Record<string, (...args: any[]) => Promise<unknown>>

/** Parts of a service that the process runs: routes, handlers, workflows. */
export interface Service {
  routes: (router: ConnectRouter) => void
  /** Handlers of changes; they share a durable NATS consumer with the service's name. */
  handlers?: Handler[]
  /** Activities of workflows, run by a Temporal worker whose task queue has the service's name. */
  activities?: Activities
  schedules?: WorkflowSchedule[]
  /** IDs of Temporal schedules to delete, which earlier releases or settings created. */
  formerSchedules?: string[]
  /** Ends the service's worker threads. */
  close?: () => Promise<void>
}

/** Returns the definition unchanged, so that TypeScript infers the types of its settings. */
export function defineService<S extends Settings>(
  definition: ServiceDefinition<S>,
): ServiceDefinition<S> {
  return definition
}
