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
import type { VersionTag } from './http/conditional-request.ts'
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
  /**
   * Aborts when the process is asked to stop: answers then carry `Connection: close`, and long
   * polls are answered at once.
   */
  draining?: AbortSignal
  /** For tests: interval and timeout of progress sockets and long polls (docs/api.md#sockets). */
  progressTimes?: ProgressTimes
  /** For tests: idle timeout of the connection during an account export. */
  exportIdleTimeoutMs?: number
  /** For tests: timeout of the ledger for each part of an uploaded file. */
  ledgerTimeoutMs?: number
  /** For tests: folder of the web app's build; null serves no app. */
  webFolder?: string | null
  /** For tests: options of the worker threads that draw charts. */
  drawing?: Partial<WorkersOptions<string>>
}

export interface RouteDeps extends AppDeps {
  cookie: SessionCookie
  sessions: Sessions
  charts: Workers<ForecastPicture, string>
  versionTag: VersionTag
}
