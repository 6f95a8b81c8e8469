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

/** Definition of a service: name, settings, tables, and its factory. */
export interface ServiceDefinition<S extends Settings = Settings> {
  name: string
  /** Database schema of its tables. */
  schema: string
  /** Folder of its SQL files. */
  migrations: URL
  settings: S
  /** Columns (`table.column`) that the copy of an account leaves out, in addition to secrets. */
  hidden?: string[]
  // Method syntax: its parameter is bivariant, so definitions with different settings fit one list.
  create(deps: ServiceDeps<S>): Service
}

/** Dependencies that the process gives each hosted service. */
export interface ServiceDeps<S extends Settings = Settings> {
  config: ValuesOf<S>
  database: Database
  broker: Broker
  workflows: Workflows
  mesh: Mesh
  /** Signs calls that no user requested. */
  signer: Signer
  /** Seals stored secrets of users: access tokens, keys, seeds. */
  secrets: Secrets
  log: Log
  clock: () => Date
}

// biome-ignore lint/suspicious/noExplicitAny: activities differ in their arguments
export type Activities = Record<string, (...args: any[]) => Promise<unknown>>

/** Parts of a service that the process runs. */
export interface Service {
  routes: (router: ConnectRouter) => void
  /** Handlers of its durable consumer, which has the service's name. */
  handlers?: Handler[]
  /** Modules of its workflows; the task queue has the service's name. */
  workflowModules?: URL[]
  activities?: Activities
  schedules?: WorkflowSchedule[]
  /** IDs of schedules to delete, which this service created under other settings. */
  formerSchedules?: string[]
  /** Resolves when the service accepts calls (its worker threads run). */
  ready?: () => Promise<void>
  /** Releases resources of the service (worker threads). */
  close?: () => Promise<void>
}

/** Returns the definition unchanged; infers the types of its settings. */
export function defineService<S extends Settings>(
  definition: ServiceDefinition<S>,
): ServiceDefinition<S> {
  return definition
}
