import type { Database } from '@coffer/kit/database/database'
import { anonymousCaller, type Signer } from '@coffer/kit/rpc/caller'
import { isCallerRefused } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { headers } from '@coffer/kit/rpc/rpc'
import { ServiceHealthService } from '@coffer/proto/health/v1/service_health'
import { Code, ConnectError } from '@connectrpc/connect'

/** A fault of a dependency, and whether it makes this process not ready. */
export interface Fault {
  reason: string
  isBlocking: boolean
}

/** A service whose health affects this process. */
export interface Dependency {
  name: string
  /** Null when the service is healthy. Bounded in time; never rejects. */
  check: () => Promise<Fault | null>
}

const checkMsMax = 2_000

/** A service in this process: healthy when its database answers. */
export function hostedDependency(name: string, database: Pick<Database, 'isHealthy'>): Dependency {
  return {
    name,
    check: async () => ((await database.isHealthy()) ? null : databaseAway(true)),
  }
}

/**
 * A service in another process. Refused caller tokens always block readiness: the keys folders
 * differ, so no call succeeds.
 */
export function calledDependency(options: {
  name: string
  /** Whether this process cannot work without the service. */
  isEssential: boolean
  mesh: Mesh
  signer: Signer
  clock: () => Date
}): Dependency {
  const { name, isEssential, mesh, signer, clock } = options
  const service = mesh.client(name, ServiceHealthService)
  return {
    name,
    check: async () => {
      const token = anonymousCaller(signer, clock())
      const call = { headers: { [headers.caller]: token }, timeoutMs: checkMsMax }
      try {
        const { isDatabaseHealthy } = await service.checkServiceHealth({ service: name }, call)
        return isDatabaseHealthy ? null : databaseAway(isEssential)
      } catch (error) {
        return faultOf(ConnectError.from(error), isEssential)
      }
    },
  }
}

function databaseAway(isBlocking: boolean): Fault {
  return { reason: 'its database does not answer', isBlocking }
}

function faultOf({ code, cause }: ConnectError, isEssential: boolean): Fault {
  if (isCallerRefused(cause)) {
    const { rawMessage } = ConnectError.from(cause)
    const reason = `refuses the keys of this process (${rawMessage}): is COFFER_KEYS_DIR the same?`
    return { reason, isBlocking: true }
  }
  const detail = (cause as NodeJS.ErrnoException | undefined)?.code ?? Code[code]
  return { reason: `does not answer (${detail})`, isBlocking: isEssential }
}
