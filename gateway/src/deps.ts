import type { Broker } from '@coffer/kit/events/broker'
import type { Signer } from '@coffer/kit/rpc/caller'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import type { ValuesOf } from '@coffer/kit/service/config'
import type { Log } from '@coffer/kit/service/log'
import type { Workers, WorkersOptions } from '@coffer/kit/service/workers'
import type { SessionCookie } from './auth/cookie.ts'
import type { Sessions } from './auth/session.ts'
import type { ForecastPicture } from './charts/forecast-chart.ts'
import type { settings } from './config.ts'
import type { ProgressTimes } from './sockets/progress.ts'

export interface AppDeps {
  config: ValuesOf<typeof settings>
  mesh: Mesh
  /** Signs caller tokens with the gateway as issuer. */
  signer: Signer
  broker: Pick<Broker, 'connection' | 'hasConnected' | 'subject'>
  /** Resolves to whether every database of this process answers. */
  isHealthy: () => Promise<boolean>
  clock: () => Date
  log: Log
  /** Replaces the times of progress sockets in tests (docs/api.md#sockets). */
  progressTimes?: ProgressTimes
  /** Replaces the idle timeout of an export's connection in tests. */
  exportIdleTimeoutMs?: number
  /** Replaces the timeout of the ledger for each part of a file in tests. */
  ledgerTimeoutMs?: number
  /** Replaces options of the worker threads that draw charts in tests. */
  drawing?: Partial<WorkersOptions<string>>
}

export interface RouteDeps extends AppDeps {
  cookie: SessionCookie
  sessions: Sessions
  charts: Workers<ForecastPicture, string>
}
